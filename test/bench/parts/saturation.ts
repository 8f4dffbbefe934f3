import { dataOf, makeSeeded } from '../embedded-catalog.js'
import { capacityOf, type PhaseResult, type SentRequest, startLoadProcess } from '../load.js'
import { type RunningProcess, startProcess } from '../processes.js'
import { mixedQueries } from '../queries.js'
import { sampleOf, sampleSeeded } from '../record-sets.js'
import { type Measure, median, type Part, percentiles, print, spread, threeDigits } from '../report.js'
import { catalogSearch } from '../search-system.js'
import { fillCatalog, withServersBench } from '../servers-bench.js'

const size = { embedded: 10_000, servers: 2_000 }

/** Rounds of each mode; a measure is the median of them. */
const rounds = 3

/** More than a second of requests at twice the capacity. */
const connections = 2_000

const clients = 500

/** Connections of the closed loop that finds the capacity. */
const lanes = 32

/** Shares of the capacity, without a pause between them; the last phase shows the recovery. */
const shares = [0.5, 0.8, 1, 2, 0.5]
const overloadAt = shares.indexOf(2)
const phaseSeconds = 2.5

/** The recovery is looked at in windows of this length. */
const windowMs = 250

/** After an overload the latency is normal again when it is below this, or below twice what it was before. */
const normalMs = 50

const settings = { PORT: '0', RATE_LIMIT_PER_MINUTE: '1000000', TRUSTED_PROXIES: '1', LOG_LEVEL: 'error' }

/** What a service did, in each round. */
interface Outcome {
  /** Answers a second in the closed loop. */
  capacity: number
  /** Phases by round. */
  rounds: PhaseResult[][]
  residentBytes: number[]
}

/**
 * Open-loop load around the capacity of a service in each mode: latency counts from the time at which a request should
 * have been sent, whether or not the ones before were answered.
 */
export const saturation: Part = {
  name: 'saturation',
  summary: 'searches at 50, 80, 100 and 200 % of the capacity, embedded and on servers',
  async measure(folder) {
    const sample = await sampleOf(await makeSeeded(size.embedded, folder))
    const env = { ...settings, DATA_DIR: dataOf(folder) }
    const service = await startProcess('dist/services/standalone/main.js', [], env)
    const embedded = measuresOf('embedded', await measureService('embedded', service, sample))
    const onServers = await withServersBench(size.servers, folder, async (bench) => {
      await fillCatalog(bench)
      const query = await startProcess('dist/services/query/main.js', [], { ...bench.env, ...settings })
      return measuresOf('servers', await measureService('servers', query, sampleSeeded(bench)))
    })
    return [...embedded, ...onServers]
  },
}

type Sample = Parameters<typeof mixedQueries>[0]

async function measureService(name: string, service: RunningProcess, sample: Sample): Promise<Outcome> {
  const process = startLoadProcess()
  const queries = mixedQueries(sample)
  const requests = () => queries(4_000).map((query) => ({ path: catalogSearch()(query).path }))
  const capacity = await capacityOf(process, { url: service.url, connections: lanes }, requests)
  print(`${name}: ${Math.round(capacity)} searches a second in ${lanes} lanes`)
  const outcome: Outcome = { capacity, rounds: [], residentBytes: [] }
  const rates = shares.map((share) => capacity * share)
  for (let round = 0; round < rounds; round += 1) {
    const load = { url: service.url, requests: requests(), connections, clients, seed: 1, rates, phaseSeconds }
    outcome.rounds.push(await process.openLoop(load))
    outcome.residentBytes.push(service.memory().residentBytes)
  }
  printPhases(outcome)
  process.stop()
  await service.stop()
  return outcome
}

function printPhases({ rounds: all }: Outcome): void {
  for (const [place, share] of shares.entries()) {
    const sent = all.flatMap((phases) => phases[place]?.sent ?? [])
    const good = percentiles(latenciesOf(sent.filter(isGood)))
    const refused = sent.filter(({ status }) => status === 503)
    const lateText = refused.length === 0 ? '' : `, 503 after ${spread(percentiles(latenciesOf(refused)))}`
    print(
      `  ${String(share * 100).padStart(3)} %: ${spread(good)}, p99 ${threeDigits(good.p99Ms)} ms, ` +
        `${percent(sent.filter(isGood).length / sent.length)} answered${lateText}`,
    )
  }
}

function measuresOf(name: string, { capacity, rounds: all, residentBytes }: Outcome): Measure[] {
  const over = all.map((phases) => phases[overloadAt] as PhaseResult)
  const sent = over.flatMap((phase) => phase.sent)
  const refused = sent.filter(({ status }) => status === 503)
  const answered = percentiles(latenciesOf(sent.filter(isGood)))
  const started = over.reduce((sum, phase) => sum + phase.started, 0)
  const honest = sent.filter((request) => isGood(request) || (request.status === 503 && request.retryAfter))
  const atLoad = shares.slice(0, overloadAt).map((_share, place) => all.flatMap((phases) => phases[place]?.sent ?? []))
  return [
    {
      name: `${name}: answered at 200 %`,
      value: median(all.map((phases) => answeredInPhase(phases, overloadAt))) / capacity,
      unit: '× capacity',
      aim: { atLeast: 0.8 },
      detail: `${Math.round(capacity)} a second in a closed loop; ${percent(refused.length / sent.length)} refused`,
    },
    {
      name: `${name}: 200, or 503 with Retry-After`,
      value: (honest.length / started) * 100,
      unit: '%',
      aim: { atLeast: 100 },
      detail: `${started - honest.length} others of ${started}`,
    },
    {
      name: `${name}: p99 at 200 %`,
      value: answered.p99Ms,
      unit: 'ms',
      aim: { atMost: 5_000 },
      detail: `of 200s; refusals p99 ${threeDigits(percentiles(latenciesOf(refused)).p99Ms)} ms`,
    },
    {
      name: `${name}: p99 at 80 %`,
      value: percentiles(latenciesOf(atLoad[1] ?? [])).p99Ms,
      unit: 'ms',
      detail: atLoad.map((requests, place) => `${(shares[place] ?? 0) * 100} % ${p50p99(requests)}`).join(', '),
    },
    {
      name: `${name}: normal again after`,
      value: median(all.map(recoverySeconds)),
      unit: 's',
      aim: { atMost: 5 },
    },
    {
      name: `${name}: memory, last round to first`,
      value: (residentBytes.at(-1) ?? 0) / (residentBytes[0] ?? 1),
      unit: '×',
      aim: { atMost: 1.1 },
      detail: residentBytes.map((bytes) => `${Math.round(bytes / 1e6)} MB`).join(', '),
    },
  ]
}

/** Answers with 200 a second while a phase lasted, also those to requests of the phase before. */
function answeredInPhase(phases: PhaseResult[], place: number): number {
  const { startedMs = 0, endMs = 1 } = phases[place] ?? {}
  const answers = phases.flatMap(({ sent }) => sent.filter(isGood)).map(({ sinceMs, latencyMs }) => sinceMs + latencyMs)
  return (answers.filter((atMs) => atMs > startedMs && atMs <= endMs).length / (endMs - startedMs)) * 1_000
}

/** Seconds after an overload until the end of the last window whose requests are not as quick as before it. */
function recoverySeconds(phases: PhaseResult[]): number {
  const before = percentiles(latenciesOf(phases[0]?.sent ?? [])).p95Ms
  const { startedMs = 0, sent = [] } = phases.at(-1) ?? {}
  const windows = Array.from({ length: (phaseSeconds * 1_000) / windowMs }, (_, place) =>
    sent.filter(({ sinceMs }) => Math.floor((sinceMs - startedMs) / windowMs) === place),
  )
  const isNormal = (requests: SentRequest[]) =>
    requests.every(isGood) && percentiles(latenciesOf(requests)).p95Ms <= Math.max(normalMs, 2 * before)
  return (windows.findLastIndex((requests) => !isNormal(requests)) + 1) * (windowMs / 1_000)
}

const isGood = ({ status }: SentRequest): boolean => status === 200

const latenciesOf = (sent: SentRequest[]): number[] => sent.map(({ latencyMs }) => latencyMs)

const percent = (share: number): string => `${threeDigits(share * 100)} %`

function p50p99(requests: SentRequest[]): string {
  const { p50Ms, p99Ms } = percentiles(latenciesOf(requests))
  return `p50 ${threeDigits(p50Ms)}, p99 ${threeDigits(p99Ms)} ms`
}
