import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { projectRoot } from '../../shared/runtime/project-root.js'
import { endsWithUs } from '../support/children.js'
import type { RunningProcess } from './processes.js'
import { type Measure, median } from './report.js'

/** Requests to a service over keep-alive connections. */
interface Load {
  url: string
  /** Sent in turn. */
  requests: { path: string; headers?: Record<string, string> }[]
  connections: number
}

/** A closed loop: each connection sends the next request when the last one is answered. */
export interface ClosedLoad extends Load {
  durationMs: number
  /** The expected status of every answer. */
  status: number
}

/** What was answered within the duration of a closed loop. */
export interface ClosedResult {
  /** With the expected status. */
  answers: number
  /** With headers. */
  bytes: number
  durationMs: number
  /** Another status that was answered, 0: a connection was closed without an answer; null: there was none. */
  otherStatus: number | null
}

/**
 * An open loop: requests start at random times of a fixed rate, whether or not the ones before are answered. Each comes
 * from another client, by its `X-Forwarded-For`: a service shares its capacity among clients.
 */
export interface OpenLoad extends Load {
  clients: number
  seed: number
  /** Requests a second of each phase; there is no pause between phases. */
  rates: number[]
  phaseSeconds: number
}

/** A phase of an open loop. Times are of the monotonic clock of the process that sends. */
export interface PhaseResult {
  startedMs: number
  endMs: number
  /** Requests that should have been sent; those that are not in `sent` got no answer within 10 s after the end. */
  started: number
  sent: SentRequest[]
}

export interface SentRequest {
  /** When it should have been sent. */
  sinceMs: number
  /** From then until the whole answer was read. */
  latencyMs: number
  /** 0: the connection was closed without an answer. */
  status: number
  retryAfter: boolean
}

/** A process that sends requests, so that its work and that of this process do not disturb each other. */
export interface LoadProcess {
  closedLoop(load: ClosedLoad): Promise<ClosedResult>
  /** @returns a result for each phase */
  openLoop(load: OpenLoad): Promise<PhaseResult[]>
  stop(): void
}

export function startLoadProcess(): LoadProcess {
  const child = fork(join(projectRoot(), 'test/bench/load-process.ts'), [], { execArgv: ['--import', 'tsx'] })
  endsWithUs(child)
  const ended = once(child, 'exit').then(() => [])
  const run = async (load: ClosedLoad | OpenLoad) => {
    child.send(load)
    const [result] = await Promise.race([once(child, 'message'), ended])
    if (result === undefined) {
      throw new Error(`the process that sends requests to ${load.url} has ended`)
    }
    return result
  }
  return { closedLoop: run, openLoop: run, stop: () => child.kill('SIGKILL') }
}

/**
 * How many requests a second a service answers with 200 in closed loops: the median of three, after one to warm up.
 *
 * @param requests returns new ones for each loop
 */
export async function capacityOf(
  load: LoadProcess,
  service: Pick<Load, 'url' | 'connections'>,
  requests: () => Load['requests'],
): Promise<number> {
  const perSecond: number[] = []
  for (let loop = 0; loop < 4; loop += 1) {
    const { answers, durationMs } = await load.closedLoop({
      ...service,
      requests: requests(),
      durationMs: 1_500,
      status: 200,
    })
    perSecond.push((answers / durationMs) * 1_000)
  }
  return median(perSecond.slice(1))
}

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
