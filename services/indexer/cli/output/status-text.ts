import { shorten } from '../../../../shared/text/clean-text.js'
import { formatBytes, formatCount, formatNumber } from '../../../../shared/text/format-numbers.js'
import { printableLine } from '../../../../shared/text/printable.js'
import { boundedText, indexServerText, runnersLine } from '../../status/describe.js'
import { type CatalogStatus, type Disk, isFull } from '../../status/read-status.js'
import { jobTable } from './job-table.js'
import { formatMoment } from './moments.js'
import { indented, type Screen } from './screen.js'

const labelColumns = 14

/** Longer ids are shortened. */
const maxIdCharacters = 80

/** The state of a catalog, for people. @param place the data folder, or the servers */
export function statusText(status: CatalogStatus, place: string, screen: Screen, now: Date): string {
  const { dependencies, skills, counted, disk } = status
  const moment = (iso: string) => formatMoment(iso, now, screen)
  const count = (value: number | null) => (value === null ? screen.style('red', 'unknown') : formatNumber(value))
  const down = Object.entries(dependencies).flatMap(([name, state]) => (state === 'down' ? [name] : []))
  const failing = status.jobs.flatMap(({ name, lastRun }) => (lastRun?.error ? [name] : []))
  const facts: [label: string, text: string][] = [
    ['catalog', place],
    ['running', runnersLine(status)],
    ...status.faults.map((fault): [string, string] => ['unreadable', screen.style('red', printableLine(fault))]),
    ['dependencies', down.length === 0 ? 'all up' : screen.style('red', `${down.join(', ')} down`)],
    ...(failing.length === 0
      ? []
      : [['failing jobs', screen.style('red', failing.join(', '))] satisfies [string, string]]),
    [
      'skills',
      `${count(skills.catalog)} stored, ${count(skills.log)} in the change log, ${count(skills.index)} indexed`,
    ],
    ...(counted === null
      ? []
      : [
          [
            'others',
            `${formatCount(counted.prompts, 'prompts')}, ${formatCount(counted.organizations, 'organizations')} ` +
              `(counted ${moment(counted.at ?? 'never')})`,
          ] satisfies [string, string],
        ]),
    ['search index', lagText(status, moment, screen)],
    ...status.indexServers.map((server): [string, string] => {
      const text = `${server.address}: ${indexServerText(server)}`
      return ['', server.documents === null ? screen.style('red', text) : text]
    }),
    ['dead letters', deadLettersText(status, screen)],
    ...(disk === null ? [] : [['disk', diskText(disk, screen)] satisfies [string, string]]),
  ]
  const lines = facts.map(
    ([label, text]) =>
      screen.style('bold', label.padEnd(labelColumns)) + indented(text, labelColumns, screen).slice(labelColumns),
  )
  return `${lines.join('\n')}\n\n${jobTable(status.jobs, screen, now)}\n`
}

function diskText(disk: Disk, { style }: Screen): string {
  const text = `${formatBytes(disk.usedBytes)} used, ${formatBytes(disk.freeBytes)} free`
  return isFull(disk) ? `${text}; ${style('red', 'full: nothing can be written until some space is free')}` : text
}

function lagText({ pending, jobs, skills }: CatalogStatus, moment: (iso: string) => string, { style }: Screen): string {
  const syncedAt = jobs.find(({ name }) => name === 'sync-index')?.lastRun?.lastSucceededAt ?? null
  const last = syncedAt === null ? 'never synchronized' : `last sync ${moment(syncedAt)}`
  if (pending === null) {
    return `${style('red', 'unknown')}, ${last}`
  }
  if (skills.catalog !== null && skills.log !== null && skills.catalog > skills.log) {
    return `${style('yellow', `${formatCount(skills.catalog - skills.log, 'skills')} to be ingested`)}, ${last}`
  }
  return pending.oldestAt === null
    ? `up to date, ${last}`
    : `${style('yellow', `${boundedText(pending, 'changes')} to be indexed`)}, the first logged ${moment(pending.oldestAt)}, ${last}`
}

function deadLettersText({ deadLetters }: CatalogStatus, screen: Screen): string {
  if (deadLetters === null) {
    return screen.style('red', 'unknown')
  }
  const { count, first } = deadLetters
  if (count === 0) {
    return 'none'
  }
  return [
    screen.style('red', boundedText(deadLetters, 'skills')),
    ...first.map(({ id, reason }) => `${printableLine(shorten(id, maxIdCharacters))}: ${printableLine(reason)}`),
    ...(count > first.length ? [`… npm run catalog -- jobs dead-letters lists all of them`] : []),
  ].join('\n')
}
