import { printableLine, shorten } from '../../../shared/text/clean-text.js'
import { formatBytes, formatCount, formatNumber, formatResult } from '../../../shared/text/format-numbers.js'
import { waitsFor } from '../runner/job.js'
import { type Disk, isFull } from './disk.js'
import type { BoundedCount, CatalogStatus, IndexServerStatus, JobRow, JobsReport } from './read-status.js'

/** A sync takes seconds; an index that lacks a change for longer is not being synchronized. */
const maxLagSeconds = 60

const maxIdCharacters = 80
const maxReasonCharacters = 200

/** A piece of a text that a terminal and a page show in their own ways: words, a moment (ISO-8601), words about a fault. */
export type Piece = string | { at: string | null } | { bad: string } | { late: string }

/** A row of the state of a catalog. */
export interface Fact {
  /** Begins in lower case. */
  label: string
  text: Piece[]
  /** What the operator should do; null: nothing. */
  remedy: string | null
}

const fact = (label: string, text: Piece[], remedy: string | null = null): Fact => ({ label, text, remedy })

/** The state of a catalog, apart from its jobs: what `status`, `doctor` and the desk show of it. */
export function factsOf(status: CatalogStatus, now: Date): Fact[] {
  const { skills, counted, disk, jobs, faults } = status
  const failing = jobs.flatMap(({ name, lastRun }) => (lastRun?.error ? [name] : []))
  const countOf = (value: number | null): Piece => (value === null ? { bad: 'unknown' } : formatNumber(value))
  const counts = [countOf(skills.catalog), ' stored, ', countOf(skills.log), ' in the change log, ']
  return [
    fact('running', [runnersLine(status)]),
    ...faults.map((fault) => fact('unreadable', [{ bad: printableLine(fault) }])),
    fact('dependencies', dependenciesText(status)),
    ...(failing.length === 0 ? [] : [fact('failing jobs', [{ bad: failing.join(', ') }])]),
    fact('skills', [...counts, countOf(skills.index), ' indexed']),
    ...(counted === null
      ? []
      : [
          fact('others', [
            `${formatCount(counted.prompts, 'prompts')}, ${formatCount(counted.organizations, 'organizations')} (counted `,
            { at: counted.at },
            ')',
          ]),
        ]),
    ...searchIndexFacts(status, now),
    deadLettersFact(status),
    ...(disk === null ? [] : [diskFact(disk)]),
  ]
}

function dependenciesText({ dependencies }: CatalogStatus): Piece[] {
  const inState = (wanted: string) =>
    Object.entries(dependencies).flatMap(([name, state]) => (state === wanted ? [name] : []))
  const [up, down] = [inState('up'), inState('down')]
  const limits = down.includes('limits') ? ['. Each query service counts requests by itself.'] : []
  return [
    ...(up.length === 0 ? [] : [`${up.join(', ')} up`]),
    ...(down.length === 0 ? [] : [up.length === 0 ? '' : '; ', { bad: `${down.join(', ')} down` }, ...limits]),
  ]
}

/** How far the search index is; of several servers also each of them. */
function searchIndexFacts(status: CatalogStatus, now: Date): Fact[] {
  const { pending, jobs, skills, indexServers } = status
  const syncedAt = jobs.find(({ name }) => name === 'sync-index')?.lastRun?.lastSucceededAt ?? null
  const never = pending === null ? [] : [', never synchronized']
  const last: Piece[] = syncedAt === null ? never : [', last sync ', { at: syncedAt }]
  const { text, remedy } = lagFact({ documents: skills.index, pending }, status, now)
  return [
    fact('search index', [...text, ...last], remedy),
    ...indexServers.map((server) => {
      const own = lagFact(server, status, now)
      return fact(`search index at ${server.address}`, own.text, own.remedy)
    }),
  ]
}

/** How far a server is, and, when it should have all skills, that it has as many. */
function lagFact(
  { documents, pending }: Pick<IndexServerStatus, 'documents' | 'pending'>,
  { skills: { catalog, log }, deadLetters }: CatalogStatus,
  now: Date,
): Pick<Fact, 'text' | 'remedy'> {
  const none = { remedy: null }
  if (pending === null || log === null || documents === null) {
    return { text: [{ bad: pending === null || log === null ? 'unknown' : 'does not answer' }], ...none }
  }
  if (catalog !== null && catalog > log) {
    return { text: [{ late: `${formatCount(catalog - log, 'skills')} to be ingested` }], ...none }
  }
  if (pending.oldestAt !== null) {
    const isLate = now.getTime() - Date.parse(pending.oldestAt) > maxLagSeconds * 1_000
    const words = `${boundedText(pending, 'changes')} to be indexed`
    return {
      text: [isLate ? { bad: words } : { late: words }, ', the first logged ', { at: pending.oldestAt }],
      remedy: isLate ? 'Start the service, or run npm run catalog -- sync.' : null,
    }
  }
  return log - (deadLetters?.count ?? 0) <= documents && documents <= log
    ? { text: [`up to date with ${formatCount(documents, 'skills')}`], ...none }
    : {
        text: [{ bad: `has ${formatCount(documents, 'skills')}, and the change log ${formatNumber(log)}` }],
        remedy: 'Run npm run catalog -- verify, which lists the differences and repairs them.',
      }
}

function deadLettersFact({ deadLetters }: CatalogStatus): Fact {
  const row = (text: Piece[], remedy: string | null = null) => fact('dead letters', text, remedy)
  if (deadLetters === null) {
    return row([{ bad: 'unknown' }])
  }
  const { count, first } = deadLetters
  const lines = first.map(
    ({ id, reason }) =>
      `\n${printableLine(shorten(id, maxIdCharacters))}: ${printableLine(shorten(reason, maxReasonCharacters))}`,
  )
  return count === 0
    ? row(['none'])
    : row(
        [
          { bad: boundedText(deadLetters, 'records') },
          ...lines,
          ...(count > first.length ? [`\n… npm run catalog -- jobs dead-letters lists all of them`] : []),
        ],
        'Correct the records, or run npm run catalog -- jobs dead-letters --retry if the cause was another one.',
      )
}

/** A small catalog needs this much for its next change as well. */
const minFreeBytes = 200_000_000

/** A rebuild writes a second index next to the first one, and new export files next to the old ones. */
export function diskFact(disk: Disk): Fact {
  const { usedBytes, freeBytes } = disk
  const needed = Math.max(minFreeBytes, usedBytes)
  const text = `${formatBytes(usedBytes)} used, ${formatBytes(freeBytes)} free`
  if (isFull(disk)) {
    const remedy = 'Free some space on the disk of the data folder: failed jobs then run again within seconds.'
    return fact('disk', [text, '; ', { bad: 'full: nothing can be written until some space is free' }], remedy)
  }
  return freeBytes >= needed
    ? fact('disk', [text])
    : fact(
        'disk',
        [text, '; ', { late: `a rebuild of the search index may need ${formatBytes(needed)}` }],
        'Free some space on the disk of the data folder, or move the folder to a larger one.',
      )
}

/** `12 changes`, or `more than 1,000 changes`. */
export const boundedText = ({ count, isLowerBound }: BoundedCount, noun: string): string =>
  `${isLowerBound ? 'more than ' : ''}${formatCount(count, noun)}`

/** How the last run of a job ended; `-`: there was none. */
export function outcomeText({ lastRun, runningSince }: JobRow): string {
  if (lastRun === null) {
    return '-'
  }
  const { result, error } = lastRun
  const awaited = waitsFor(result ?? {})
  const outcome = error ?? (awaited === null ? `succeeded: ${formatResult(result ?? {})}` : `waits for ${awaited}`)
  return runningSince === null ? outcome : `previous: ${outcome}`
}

/**
 * When a job runs next: `paused`, `running`, a time (ISO-8601), or `-`.
 *
 * The schedule of a paused job continues, and its runs do nothing: their times are not shown.
 */
export function nextText({ running, runningSince, paused, nextRunAt }: JobRow): string {
  if (paused) {
    return 'paused'
  }
  return running || runningSince !== null ? 'running' : (nextRunAt ?? '-')
}

/** A sentence about the processes that run the jobs. */
export function runnersLine({ service, indexers }: JobsReport): string {
  if (service === undefined && indexers === undefined) {
    return 'The job queue does not answer: only what the catalog stores is shown.'
  }
  if (indexers === undefined) {
    return service
      ? `The service is running as process ${service.pid}${service.url === null ? '' : `, ${service.url}`}.`
      : 'No service is running on this catalog: jobs run when one is started, or by hand.'
  }
  switch (indexers) {
    case 0:
      return 'No indexer is connected: jobs run when one is started (npm run start:indexer), or with --local.'
    case 1:
      return '1 indexer is connected.'
    default:
      return `${indexers} indexers are connected.`
  }
}

/** Units of time with their seconds, the longest first, and the least number of them that is shown. */
const units = [
  ['years', 31_556_952, 2],
  ['months', 2_629_746, 2],
  ['d', 86_400, 1],
  ['h', 3_600, 1],
  ['min', 60, 1],
] as const

/** A duration in its largest whole unit, for people: `45 s`, `12 min`, `3 h`, `9 d`, `5 months`. */
function formatDuration(seconds: number): string {
  const [unit, length] = units.find(([, each, least]) => seconds >= each * least) ?? ['s', 1]
  return `${Math.floor(seconds / length)} ${unit}`
}

/** The interval of a job in its largest exact unit: `0.5 s`, `5 min`, `1 d`; null: it has none. */
export function intervalText(everySeconds: number | null): string {
  if (everySeconds === null) {
    return 'by hand'
  }
  const [unit, length] = units.find(([, each]) => everySeconds % each === 0) ?? ['s', 1]
  return `${formatNumber(everySeconds / length)} ${unit}`
}

/** The time since a moment or until then: `12 min ago`, `in 3 h`. @param iso ISO-8601; any other text is returned as it is */
export function relativeTime(iso: string, now: Date): string {
  const seconds = Math.round((Date.parse(iso) - now.getTime()) / 1_000)
  if (Number.isNaN(seconds)) {
    return iso
  }
  if (seconds === 0) {
    return 'now'
  }
  return seconds < 0 ? `${formatDuration(-seconds)} ago` : `in ${formatDuration(seconds)}`
}
