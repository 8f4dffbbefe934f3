import { AppError, operatorError } from '../../shared/errors.js'
import type { SearchDocument, SearchIndex } from '../../shared/ports/search-index.js'
import { searchSettingsFingerprint } from '../../shared/search-settings.js'
import { stateKeys } from '../../shared/state-keys.js'
import { applyBatch, applyChanges, mapBatch } from './apply-changes.js'
import { compareIndex } from './compare-index.js'
import { type CopiedStretch, compareStretches, digestOf } from './copied-stretches.js'
import type { JobContext, JobResult } from './job.js'
import { waitForLock } from './wait-for-lock.js'

/** For how long a rebuild that is all but done waits for a sync under way to end. */
const syncPatienceMs = 120_000

/** Pages on their way take up about this much at most, beside the one that is added. */
const maxBytesUnderWay = 64 * 1_024 * 1_024

/** How far a rebuild has come, kept so that an interrupted one goes on from there. */
interface RebuildState {
  /** Of the settings that it builds with. */
  settings: string
  /** What to do next: everything before it has been confirmed. */
  step: 'scan' | 'replay' | 'swap'
  /** Every skill with an id up to this one is in the next index. */
  scannedTo: string | null
  /** Once scanned, the next index holds every change up to here. */
  watermark: string
}

/**
 * Builds the index anew beside the live one, and puts it in its place when it holds what the catalog holds.
 *
 * First the catalog's position is noted, then every published skill is copied, then the changes since that position
 * are replayed; the copy is compared with the catalog; and while the sync stands still, the last changes are replayed
 * and the copy becomes the live index. Every step is safe to do again, and until the swap the live index is untouched.
 *
 * @param options.holdsSyncLock true when the caller has the sync's lock already
 * @throws AppError `rebuild_not_verified` when the copy differs from the catalog
 */
export async function buildIndex(context: JobContext, options: { holdsSyncLock: boolean }): Promise<JobResult> {
  const { catalog, index, signal } = context
  const kept = await catalog.readState<RebuildState>(stateKeys.rebuild)
  const hasNext = await nextExists(index)
  if (kept?.step === 'swap' && !hasNext) {
    // It ended after the swap and before it said so. The sync goes on from its own position, which is not ahead.
    await catalog.writeState(stateKeys.rebuild, null)
    return { documents: (await index.status()).documents, resumed: true }
  }
  const resumed = kept !== null && hasNext && kept.settings === searchSettingsFingerprint
  let state = resumed ? kept : await begin(context)
  const keep = async (progress: Partial<RebuildState>) => {
    state = { ...state, ...progress }
    await catalog.writeState(stateKeys.rebuild, state)
  }
  const replay = () => applyChanges(context, state.watermark, 'next', (watermark) => keep({ watermark }))

  let copied: CopiedStretch[] = [{ afterId: null, lastId: null, digest: null, rejected: 0 }]
  if (state.step === 'scan') {
    copied = await scan(context, state.scannedTo, (scannedTo) => keep({ scannedTo }))
    await keep({ step: 'replay' })
  }
  await replay()
  const rejected = await verify(context, state.watermark, copied)
  context.reached?.('rebuild-verified')
  const syncLock = options.holdsSyncLock ? null : await waitForLock(catalog, 'sync-skills', syncPatienceMs, signal)
  try {
    await replay()
    await keep({ step: 'swap' })
    await index.swap(syncLock ?? undefined)
    context.reached?.('index-swapped')
    await catalog.writeState(stateKeys.syncWatermark, state.watermark)
    context.reached?.('sync-continued')
    await catalog.writeState(stateKeys.rebuild, null)
  } finally {
    await syncLock?.release()
  }
  return { documents: (await index.status()).documents, rejected, resumed }
}

async function begin({ catalog, index, reached }: JobContext): Promise<RebuildState> {
  const watermark = await catalog.presentWatermark()
  // Forgotten first: what is kept must never speak of a next index that has been emptied since.
  await catalog.writeState(stateKeys.rebuild, null)
  await index.createNext()
  const state: RebuildState = { settings: searchSettingsFingerprint, step: 'scan', scannedTo: null, watermark }
  await catalog.writeState(stateKeys.rebuild, state)
  reached?.('rebuild-begun')
  return state
}

/** A page on its way into the index. */
interface PageUnderWay {
  lastId: string
  skills: number
  sizeBytes: number
  applied: Promise<unknown>
}

/**
 * Copies every published skill. The next pages are read while others are on their way; how far it has come is told page
 * by page, in order, each once the index has confirmed it and all before it.
 */
async function scan(
  context: JobContext,
  scannedTo: string | null,
  keep: (scannedTo: string) => Promise<void>,
): Promise<CopiedStretch[]> {
  const { catalog, index, progress, signal } = context
  const copied: CopiedStretch[] =
    scannedTo === null ? [] : [{ afterId: null, lastId: scannedTo, digest: null, rejected: 0 }]
  // About as many as will come; to count them would be another pass over the catalog.
  const expected = await documentsIn(index)
  let done = 0
  const underWay: PageUnderWay[] = []
  const confirmFirst = async () => {
    const page = underWay[0]
    await page?.applied
    underWay.shift()
    if (page !== undefined) {
      await keep(page.lastId)
      context.reached?.('page-copied')
      done += page.skills
      progress.add(page.skills, Math.max(expected, done))
    }
  }
  try {
    for (let afterId = scannedTo; ; ) {
      signal.throwIfAborted()
      const page = await catalog.scanSkills(afterId, index.documentsPerApply)
      const last = page.at(-1)
      if (last === undefined) {
        break
      }
      const sorted = await mapBatch(page)
      const applied = applyBatch(context, sorted, 'next')
      // Awaited in its turn; until then its failure is nobody's surprise.
      applied.catch(() => undefined)
      copied.push({ afterId, lastId: last.id, digest: digestOf(sorted.publish), rejected: sorted.rejected.length })
      underWay.push({ lastId: last.id, skills: page.length, sizeBytes: sizeOf(sorted.publish), applied })
      afterId = last.id
      while (
        underWay.length >= index.appliesAtOnce ||
        underWay.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) > maxBytesUnderWay
      ) {
        await confirmFirst()
      }
    }
    while (underWay.length > 0) {
      await confirmFirst()
    }
    return [...copied, { afterId: copied.at(-1)?.lastId ?? null, lastId: null, digest: digestOf([]), rejected: 0 }]
  } finally {
    await Promise.allSettled(underWay.map(({ applied }) => applied))
  }
}

/** About what documents take up: a description is the one field that may be long. */
const sizeOf = (documents: SearchDocument[]): number =>
  documents.reduce((sum, { skill }) => sum + 2_000 + 4 * (skill.description?.length ?? 0), 0)

/**
 * Compares the next index with what was copied, and where they are not the same, because of changes since then or for
 * worse, with the catalog. One that differs is given up: to go on with it would mend nothing.
 *
 * @returns how many skills could not be indexed
 */
async function verify(context: JobContext, watermark: string, copied: CopiedStretch[]): Promise<number> {
  let [rejected, differences] = [0, 0]
  for await (const stretch of compareStretches(context, 'next', copied)) {
    if (stretch.same) {
      rejected += stretch.rejected
      continue
    }
    const counts = await compareIndex(
      {
        ...context,
        progress: { add: () => undefined },
        // What was rejected has been reported when it was met.
        report: (finding) => (finding.kind === 'rejected' ? undefined : context.report(finding)),
      },
      'next',
      watermark,
      { range: stretch },
    )
    rejected += counts.rejected
    differences += counts.missing + counts.extra + counts.different
  }
  if (differences > 0) {
    await context.catalog.writeState(stateKeys.rebuild, null)
    throw operatorError(
      'rebuild_not_verified',
      `The index that was built differs from the catalog in ${differences} skills, so the present one stays. ` +
        'Run the rebuild again; if it ends like this again, please report it with the log.',
    )
  }
  return rejected
}

/** How many documents are live; 0 when the index is in no state to tell, which a rebuild is there to mend. */
async function documentsIn(index: SearchIndex): Promise<number> {
  try {
    return (await index.status()).documents
  } catch (error) {
    if (error instanceof AppError) {
      return 0
    }
    throw error
  }
}

async function nextExists(index: SearchIndex): Promise<boolean> {
  try {
    await index.list(null, 1, 'next')
    return true
  } catch (error) {
    if (error instanceof AppError) {
      return false
    }
    throw error
  }
}
