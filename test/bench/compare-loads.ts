import type { ClosedLoad, LoadProcess } from './load.js'
import type { Measure } from './part.js'
import type { RunningProcess } from './processes.js'
import { median } from './report.js'

/** Slices of each system, in turn with those of the others: a disturbance of the machine meets all of them alike. */
const slices = 7
const sliceMs = 1_000
const warmUpMs = 1_500

/** Enough that a system always has a request to answer. */
const usualConnections = 32

/** A system under load. */
export interface LoadedSystem {
  process: Pick<RunningProcess, 'url' | 'cpuMs'>
  requests: ClosedLoad['requests']
  /** Default 200. */
  status?: number
  /** Default 32; fewer where requests are so slow that the last of them would wait too long. */
  connections?: number
}

/** What a system answered: medians of its slices. */
export interface LoadedMeasure {
  answersPerSecond: number
  /** Of the baseline's, slice by slice. */
  ratio: number
  bytesPerSecond: number
  /** Processor time of the system for one answer, in microseconds. */
  cpuMicros: number
}

/** `16,274 a second at 48 µs` */
export const loadText = ({ answersPerSecond, cpuMicros }: LoadedMeasure): string =>
  `${Math.round(answersPerSecond).toLocaleString('en')} a second at ${Math.round(cpuMicros)} µs`

/** The answers of a system, compared with those of the baseline of this name. */
export const toMeasure = (
  name: string,
  baselineName: string,
  [baseline, measured]: [LoadedMeasure, LoadedMeasure],
  aim?: Measure['aim'],
): Measure => ({
  name,
  value: measured.ratio,
  unit: `× ${baselineName}`,
  aim,
  detail: `${loadText(measured)}, ${baselineName} ${loadText(baseline)}`,
})

/** Loads the systems in turn; the first one is the baseline of the others. */
export async function compareLoads<const Systems extends LoadedSystem[]>(
  load: LoadProcess,
  systems: Systems,
): Promise<{ [Place in keyof Systems]: LoadedMeasure }> {
  const runs = systems.map((): Omit<LoadedMeasure, 'ratio'>[] => [])
  for (const system of systems) {
    await runSlice(load, system, warmUpMs)
  }
  for (let slice = 0; slice < slices; slice += 1) {
    for (const [place, system] of systems.entries()) {
      runs[place]?.push(await runSlice(load, system, sliceMs))
    }
  }
  const baseline = (runs[0] ?? []).map(({ answersPerSecond }) => answersPerSecond)
  const measured = runs.map((measures) => ({
    answersPerSecond: median(measures.map((each) => each.answersPerSecond)),
    ratio: median(measures.map(({ answersPerSecond }, slice) => answersPerSecond / (baseline[slice] ?? 0))),
    bytesPerSecond: median(measures.map((each) => each.bytesPerSecond)),
    cpuMicros: median(measures.map((each) => each.cpuMicros)),
  }))
  return measured as { [Place in keyof Systems]: LoadedMeasure }
}

async function runSlice(
  load: LoadProcess,
  { process, requests, status = 200, connections = usualConnections }: LoadedSystem,
  durationMs: number,
): Promise<Omit<LoadedMeasure, 'ratio'>> {
  const before = process.cpuMs()
  const done = await load.closedLoop({ url: process.url, requests, status, connections, durationMs })
  if (done.otherStatus !== null) {
    throw new Error(`${process.url}${requests[0]?.path} was answered with ${done.otherStatus} instead of ${status}`)
  }
  return {
    answersPerSecond: (done.answers / done.durationMs) * 1_000,
    bytesPerSecond: (done.bytes / done.durationMs) * 1_000,
    cpuMicros: ((process.cpuMs() - before) * 1_000) / done.answers,
  }
}
