import type { RecordType } from '../../../shared/records/records.js'
import type { ImportCounts, ImportResult } from '../import/import-records.js'
import { type Renewed, searchIndexLines } from './bring-up-to-date.js'
import type { ExitStatus, Outcome } from './command-line.js'
import { counted, figure, inWords, perSecond, seconds } from './figures.js'

/** What an import did, and how long that took, without what was brought up to date behind it. */
export interface TimedImport {
  result: ImportResult
  elapsedMs: number
}

/**
 * How an import ended, in words, figures and status.
 *
 * @param done.renewed what was made anew from the records; null when nothing was
 */
export function importOutcome(
  { result, elapsedMs, renewed }: TimedImport & { renewed: Renewed | null },
  options: { type: RecordType; dryRun?: true; verbose?: true },
): Outcome {
  const { counts, notReplaced } = result
  const { type, dryRun = false, verbose = false } = options
  const { read, added, changed, unchanged, removed, rejected } = counts
  const rate = perSecond(read, elapsedMs)
  const done = `${counted(read, type)} read: ${inWords({ added, changed, unchanged, removed, rejected })}`
  const lines = [
    `${done} (${seconds(elapsedMs)}${rate === 0 ? '' : `, ${figure(rate)} a second`})`,
    ...(counts.droppedValues > 0
      ? [`Values left out of these records: ${figure(counts.droppedValues)}${verbose ? '' : '; --verbose lists them'}`]
      : []),
    ...(dryRun ? ['Nothing was written: this was a dry run.'] : []),
    ...searchIndexLines(renewed),
    ...(renewed?.stats ? [`Figures: ${inWords(renewed.stats)}`] : []),
    ...(renewed?.exports
      ? [`Export files: ${inWords({ files: renewed.exports['files'], rows: renewed.exports['rows'] })}`]
      : []),
  ]
  const complaint = complaintOf(counts, notReplaced)
  return {
    status: statusOf(counts, notReplaced),
    result: {
      type,
      dryRun,
      ...counts,
      notReplaced,
      importMs: Math.round(elapsedMs),
      recordsPerSecond: rate,
      ...renewed,
    },
    // The complaint says it all.
    text: nothingRead(counts) ? '' : `${lines.join('\n')}\n`,
    ...(complaint === null ? {} : { complaint }),
  }
}

function statusOf(counts: ImportCounts, notReplaced: string | null): ExitStatus {
  if (nothingRead(counts)) {
    return 2
  }
  return counts.rejected > 0 || counts.sourcesUnreadable > 0 || notReplaced !== null ? 1 : 0
}

function complaintOf(counts: ImportCounts, notReplaced: string | null): string | null {
  if (nothingRead(counts)) {
    return 'Nothing could be read.'
  }
  if (notReplaced !== null) {
    return `Nothing was removed, although --replace asks for it: ${notReplaced}. Repair the sources and import them again.`
  }
  return counts.sourcesUnreadable > 0
    ? 'Not every source was read to its end; what was read before that is in. Repair them and import them again.'
    : null
}

const nothingRead = (counts: ImportCounts): boolean => counts.read === 0 && counts.sourcesUnreadable > 0
