import { resolve } from 'node:path'
import { type RecordType, recordTypes } from '../../../../shared/records/records.js'
import {
  formatCount,
  formatNumber,
  formatResult,
  formatSeconds,
  perSecond,
} from '../../../../shared/text/format-numbers.js'
import type { ImportCounts, ImportResult } from '../../import/import-records.js'
import type { MirrorComparison, MirrorDifference } from '../../mirror/compare-mirror.js'
import { type Mirror, snapshotTypes } from '../../mirror/mirror.js'
import { searchIndexLines, type UpdateResults } from '../bring-up-to-date.js'
import type { ExitStatus, Outcome } from '../command-line.js'
import type { ProgressDisplay } from './progress-display.js'

/** The result of an import, and its duration without the updates that follow it. */
export interface TimedImport {
  result: ImportResult
  elapsedMs: number
}

/**
 * The outcome of an import.
 *
 * @param done.updates null when nothing was updated
 */
export function importOutcome(
  { result, elapsedMs, updates }: TimedImport & { updates: UpdateResults | null },
  options: { type: RecordType; dryRun?: true; replace?: true; verbose?: true },
): Outcome {
  const { counts, notReplaced, likelyType, areNamed } = result
  const { type, dryRun = false, replace = false, verbose = false } = options
  const { read, added, changed, unchanged, removed, rejected } = counts
  const rate = perSecond(read, elapsedMs)
  const done = `${formatCount(read, type)} read: ${formatResult({ added, changed, unchanged, removed: replace || removed > 0 ? removed : false, rejected })}`
  const lines = [
    counts.replacedRecords > 0 && repeatedLine(counts, areNamed),
    `${done} (${formatSeconds(elapsedMs)}${rate === 0 ? '' : `, ${formatNumber(rate)} a second`})`,
    counts.droppedValues > 0 &&
      `Values dropped from these records: ${formatNumber(counts.droppedValues)}${verbose ? '' : '; --verbose lists them'}`,
    counts.leftOut > 0 &&
      `Files left out: ${formatNumber(counts.leftOut)}, which belong to a skill or have the name of another one in its ` +
        `repository${verbose ? '' : '; --verbose lists them'}`,
    counts.droppedTexts > 0 &&
      `Texts dropped: ${formatNumber(counts.droppedTexts)}, of skills whose new records have none. Import their SKILL.md files ` +
        'again, or records with their digest',
    type === 'organizations' &&
      added > 0 &&
      'An organization is shown, and counted in the statistics, once it has a published skill.',
    dryRun && 'Nothing was written: this was a dry run.',
    ...searchIndexLines(updates),
    updates?.stats && `Statistics: ${formatResult(updates.stats)}`,
    updates?.exports &&
      `Export files: ${formatResult({ files: updates.exports['files'], rows: updates.exports['rows'] })}`,
  ].filter((line) => typeof line === 'string')
  const warning =
    likelyType === null
      ? warningOf(counts, notReplaced)
      : `These records look like ${likelyType}, and not like ${type}: give --type ${likelyType}.`
  return {
    status: statusOf(counts, notReplaced),
    result: {
      type,
      dryRun,
      ...counts,
      notReplaced,
      importMs: Math.round(elapsedMs),
      recordsPerSecond: rate,
      ...updates,
    },
    text: nothingRead(counts) ? '' : `${lines.join('\n')}\n`,
    ...(warning === null ? {} : { warning }),
  }
}

function statusOf(counts: ImportCounts, notReplaced: string | null): ExitStatus {
  if (nothingRead(counts)) {
    return 2
  }
  return counts.rejected > 0 || counts.replacedRecords > 0 || counts.sourcesUnreadable > 0 || notReplaced !== null
    ? 1
    : 0
}

/** Records that took the place of others may be several skills of one repository, unless they are named as such. */
const repeatedLine = ({ repeatedIds, replacedRecords }: ImportCounts, areNamed: boolean): string =>
  `${formatCount(repeatedIds, 'ids')} came more than once, and ${formatCount(replacedRecords, 'records')} replaced others ` +
  `with another name or description: ${
    areNamed
      ? 'of the records of a skill the last one counts'
      : 'if a repository holds several skills, name the field that distinguishes them: --skill-field name'
  }`

function warningOf(counts: ImportCounts, notReplaced: string | null): string | null {
  if (nothingRead(counts)) {
    return 'Nothing could be read.'
  }
  if (counts.read === 0 && notReplaced === null) {
    return 'There are no records in what was read: it is empty.'
  }
  if (notReplaced !== null) {
    return `Nothing was removed, despite --replace: ${notReplaced}. Repair the sources and import them again.`
  }
  return counts.sourcesUnreadable > 0
    ? 'Some sources were not read completely; the records before the errors are imported. Repair the sources and ' +
        'import them again.'
    : null
}

const nothingRead = (counts: ImportCounts): boolean => counts.read === 0 && counts.sourcesUnreadable > 0

/** Comparisons by type; absent for types that were not compared. */
export type Comparisons = Partial<Record<RecordType, MirrorComparison>>

/** Further differences are only counted. */
const maxDifferences = 50

/**
 * The outcome of the command: the counts of the copy, the age of its parts, and the changes made.
 *
 * @param verified null without --verify
 */
export async function mirrorOutcome(copy: Mirror, verified: Comparisons | null, elapsedMs: number): Promise<Outcome> {
  const { source, catalog, folder, counts, state } = copy
  const { totals } = await catalog.computeStats()
  const differs = Object.values(verified ?? {}).some(({ differences }) => differences.length > 0)
  const skillParts = [
    `${formatCount(totals.skills, 'skills')} from ${source.url}`,
    counts.from !== null && `started from its ${counts.from}`,
    ...changeTexts(copy, 'skills', verified),
  ].filter((part) => part !== false)
  const types = copy.followsChanges ? snapshotTypes : recordTypes
  const lines = [
    copy.followsChanges
      ? `mirror: ${skillParts.join('; ')} (${formatSeconds(elapsedMs)})`
      : `mirror: the signed snapshot of ${source.url} (${formatSeconds(elapsedMs)})`,
    ...types.map((type) => snapshotLine(copy, type, totals[type], verified)),
    ...(counts.rejected === 0 ? [] : [`Rejected: ${formatCount(counts.rejected, 'invalid records')} of the source`]),
  ]
  const ofType = (type: RecordType) => ({
    count: totals[type],
    published: counts.published[type],
    removed: counts.removed[type],
    snapshot: state.copied[type] ?? null,
    verified: countsOf(verified?.[type]),
  })
  return {
    status: differs || counts.rejected > 0 ? 1 : 0,
    result: {
      url: source.url,
      folder: resolve(folder),
      since: state.since,
      skills: totals.skills,
      published: counts.published.skills,
      removed: counts.removed.skills,
      rejected: counts.rejected,
      restarts: counts.restarts,
      from: counts.from,
      snapshot: copy.followsChanges ? null : (state.copied.skills ?? null),
      verified: countsOf(verified?.skills),
      prompts: ofType('prompts'),
      organizations: ofType('organizations'),
    },
    text: `${lines.join('\n')}\n`,
  }
}

function snapshotLine(copy: Mirror, type: RecordType, count: number, verified: Comparisons | null): string {
  const copied = copy.state.copied[type]
  if (copied === undefined) {
    return `${type}: none copied, because the source has not published a snapshot yet`
  }
  const { generatedAt, rows, total } = copied
  const parts = [
    `${formatNumber(count)} from the snapshot of ${generatedAt}`,
    rows < total &&
      `it contains ${formatNumber(rows)} of ${formatNumber(total)}, therefore none are removed from the copy`,
    ...changeTexts(copy, type, verified),
  ].filter((part) => part !== false)
  return `${type}: ${parts.join('; ')}`
}

function changeTexts({ counts }: Mirror, type: RecordType, verified: Comparisons | null): string[] {
  const compared = countsOf(verified?.[type])
  const done = `${formatNumber(counts.published[type])} published, ${formatNumber(counts.removed[type])} removed`
  return [
    done,
    compared !== null &&
      `${formatNumber(compared.compared)} compared: ${formatNumber(compared.missing)} missing, ${formatNumber(compared.extra)} extra, ` +
        `${formatNumber(compared.different)} different`,
  ].filter((text) => text !== false)
}

/** Null when the type was not compared. */
function countsOf(comparison: MirrorComparison | undefined) {
  if (comparison === undefined) {
    return null
  }
  const count = (counted: MirrorDifference['kind']) =>
    comparison.differences.filter(({ kind }) => kind === counted).length
  return {
    compared: comparison.compared,
    missing: count('missing'),
    extra: count('extra'),
    different: count('different'),
  }
}

const differenceTexts: Record<MirrorDifference['kind'], string> = {
  missing: 'at the source, but not in the copy',
  extra: 'in the copy, but not at the source',
  different: 'in the copy with different content',
}

/** Reports the first differences, and the number of further ones. */
export function reportDifferences(verified: Comparisons | null, display: ProgressDisplay): void {
  const differences = recordTypes.flatMap((type) => verified?.[type]?.differences ?? [])
  for (const { type, id, kind } of differences.slice(0, maxDifferences)) {
    display.report(`${type === 'skills' ? '' : `${type}: `}${id}: ${differenceTexts[kind]}`)
  }
  if (differences.length > maxDifferences) {
    display.report(`… and ${formatNumber(differences.length - maxDifferences)} more`)
  }
}
