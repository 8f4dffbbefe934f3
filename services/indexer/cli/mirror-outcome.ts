import { resolve } from 'node:path'
import { type RecordType, recordTypes } from '../../../shared/records/records.js'
import type { MirrorComparison, MirrorDifference } from '../mirror/compare-mirror.js'
import type { Mirror } from '../mirror/mirror.js'
import { type SnapshotType, snapshotTypes } from '../mirror/mirror-state.js'
import type { Outcome } from './command-line.js'
import { counted, figure, seconds } from './figures.js'
import type { ProgressDisplay } from './progress-display.js'

/** The comparisons that were made, by type. */
export type Comparisons = Partial<Record<RecordType, MirrorComparison>>

/** How many differences are reported one by one. */
const maxDifferences = 50

/**
 * The result of the command: what the copy holds, how fresh it is, and what was done.
 *
 * @param verified null: nothing was to be compared
 */
export async function mirrorOutcome(copy: Mirror, verified: Comparisons | null, elapsedMs: number): Promise<Outcome> {
  const { source, catalog, folder, counts, state } = copy
  const { totals } = await catalog.computeStats()
  const differs = Object.values(verified ?? {}).some(({ differences }) => differences.length > 0)
  const skillWords = [
    `${counted(totals.skills, 'skills')} as at ${source.url}`,
    ...(counts.from === null ? [] : [`begun with its ${counts.from}`]),
    ...wordsOf(copy, 'skills', verified),
  ]
  const lines = [
    `mirror: ${skillWords.join('; ')} (${seconds(elapsedMs)})`,
    ...snapshotTypes.map((type) => snapshotLine(copy, type, totals[type], verified)),
    ...(counts.rejected === 0 ? [] : [`Rejected as invalid: ${counted(counts.rejected, 'records')} of the source`]),
  ]
  const ofType = (type: SnapshotType) => ({
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
      verified: countsOf(verified?.skills),
      prompts: ofType('prompts'),
      organizations: ofType('organizations'),
    },
    text: `${lines.join('\n')}\n`,
  }
}

/** What the copy holds of a type that comes from snapshots. */
function snapshotLine(copy: Mirror, type: SnapshotType, count: number, verified: Comparisons | null): string {
  const copied = copy.state.copied[type]
  if (copied === undefined) {
    return `${type}: none copied, the source has published no snapshot of them yet`
  }
  const { generatedAt, rows, total } = copied
  const words = [
    `${figure(count)} as in the snapshot of ${generatedAt}`,
    ...(rows < total ? [`it holds ${figure(rows)} of ${figure(total)}, so that none are removed from the copy`] : []),
    ...wordsOf(copy, type, verified),
  ]
  return `${type}: ${words.join('; ')}`
}

function wordsOf({ counts }: Mirror, type: RecordType, verified: Comparisons | null): string[] {
  const compared = countsOf(verified?.[type])
  const done = `${figure(counts.published[type])} published, ${figure(counts.removed[type])} removed`
  if (compared === null) {
    return [done]
  }
  return [
    done,
    `${figure(compared.compared)} compared: ${figure(compared.missing)} missing, ${figure(compared.extra)} extra, ` +
      `${figure(compared.different)} different`,
  ]
}

/** Null: it was not compared. */
function countsOf(comparison: MirrorComparison | undefined) {
  if (comparison === undefined) {
    return null
  }
  const count = (wanted: MirrorDifference['kind']) =>
    comparison.differences.filter(({ kind }) => kind === wanted).length
  return {
    compared: comparison.compared,
    missing: count('missing'),
    extra: count('extra'),
    different: count('different'),
  }
}

const inWords: Record<MirrorDifference['kind'], string> = {
  missing: 'at the source, but not in the copy',
  extra: 'in the copy, but not at the source',
  different: 'in the copy with other content',
}

/** Reports the differences one by one, up to a number. */
export function reportDifferences(verified: Comparisons | null, display: ProgressDisplay): void {
  const differences = recordTypes.flatMap((type) => verified?.[type]?.differences ?? [])
  for (const { type, id, kind } of differences.slice(0, maxDifferences)) {
    display.tell(`${type === 'skills' ? '' : `${type}: `}${id}: ${inWords[kind]}`)
  }
  if (differences.length > maxDifferences) {
    display.tell(`… and ${figure(differences.length - maxDifferences)} more`)
  }
}
