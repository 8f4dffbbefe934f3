import type { RecordType } from '../../../../shared/records/records.js'
import {
  formatCount,
  formatNumber,
  formatResult,
  formatSeconds,
  perSecond,
} from '../../../../shared/text/format-numbers.js'
import type { ImportCounts, ImportResult } from '../../import/import-records.js'
import { searchIndexLines, type UpdateResults } from '../bring-up-to-date.js'
import type { ExitStatus, Outcome } from '../command-line.js'

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
    ...repeatedLines(counts, areNamed),
    `${done} (${formatSeconds(elapsedMs)}${rate === 0 ? '' : `, ${formatNumber(rate)} a second`})`,
    ...(counts.droppedValues > 0
      ? [
          `Values dropped from these records: ${formatNumber(counts.droppedValues)}${verbose ? '' : '; --verbose lists them'}`,
        ]
      : []),
    ...(counts.leftOut > 0
      ? [
          `Files left out: ${formatNumber(counts.leftOut)}, which belong to a skill or have the name of another one in its ` +
            `repository${verbose ? '' : '; --verbose lists them'}`,
        ]
      : []),
    ...(counts.droppedTexts > 0
      ? [
          `Texts dropped: ${formatNumber(counts.droppedTexts)}, of skills whose new records have none. Import their SKILL.md files ` +
            'again, or records with their digest',
        ]
      : []),
    ...(dryRun ? ['Nothing was written: this was a dry run.'] : []),
    ...searchIndexLines(updates),
    ...(updates?.stats ? [`Statistics: ${formatResult(updates.stats)}`] : []),
    ...(updates?.exports
      ? [`Export files: ${formatResult({ files: updates.exports['files'], rows: updates.exports['rows'] })}`]
      : []),
  ]
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
const repeatedLines = ({ repeatedIds, replacedRecords }: ImportCounts, areNamed: boolean): string[] =>
  replacedRecords === 0
    ? []
    : [
        `${formatCount(repeatedIds, 'ids')} came more than once, and ${formatCount(replacedRecords, 'records')} replaced others ` +
          `with another name or description: ${
            areNamed
              ? 'of the records of a skill the last one counts'
              : 'if a repository holds several skills, name the field that distinguishes them: --skill-field name'
          }`,
      ]

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
