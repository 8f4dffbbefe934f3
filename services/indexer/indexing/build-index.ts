import type { ScanPosition } from '../../../shared/ports/dataset-reader.js'
import { type Lock, withLock } from '../../../shared/ports/locks.js'
import type { IndexReplica, SkillWithText } from '../../../shared/ports/search-index.js'
import { AppError, operatorError } from '../../../shared/runtime/errors.js'
import { ingestName, ofReplica, readSyncPosition, stateKeys } from '../../../shared/state-keys.js'
import type { IndexContext, JobResult } from '../runner/job.js'
import { type AppliedCounts, applyIds, changesPerBatch, publishSkills, replayLog, withTexts } from './apply-skills.js'
import { compareIndex } from './compare-index.js'

/** The maximum wait for a running sync, before the last changes are replayed. */
const syncTimeoutMs = 120_000

/** Above this approximate memory of the pages being indexed, the next page waits. */
const maxBytesInProgress = 256 * 1_024 * 1_024

/** The minimum time between two looks for removals in the log. */
const removeEveryMs = 1_000

/** The stored progress of a rebuild, from which an interrupted one continues. */
interface RebuildState {
  /** The fingerprint of the settings of the next index. */
  settings: string
  /** The length of its vectors; null: it has none. */
  dimensions: number | null
  /** The current step: the index has confirmed all earlier ones. */
  step: 'scan' | 'replay' | 'swap'
  /** The next index holds every skill of the scan up to this one. */
  scannedTo: ScanPosition | null
  /** The next index, once scanned, holds every change up to this sequence. */
  position: number
}

/**
 * Builds the index again next to the live one, and puts it in its place.
 *
 * It stores the head of the change log, copies every published skill, replays the changes since that position, and
 * compares the copy with the log. Under the lock of the sync it replays the last changes and makes the copy the live
 * index. Every step can be repeated, and the live index is untouched until the swap.
 *
 * @param context under the lock of the rebuild
 * @param syncLock the lock of the sync, where the caller has it already
 * @returns `waitingFor`: not all documents have been read yet
 * @throws AppError `rebuild_not_verified` when the copy differs from the log
 */
export async function buildIndex(context: IndexContext, syncLock: Lock | null): Promise<JobResult> {
  const { catalog, changes, index, lock } = context
  if (!(await changes.bounds()).complete && (await documentsIn(index)) > 0) {
    // The rows of an earlier version's documents are not all made yet: an index of them would lack the others.
    return { waitingFor: ingestName }
  }
  const rebuildKey = ofReplica(stateKeys.rebuild, index)
  const kept = await catalog.readState<RebuildState>(rebuildKey)
  const hasNext = (await unlessRefused(index.list(null, 1, 'next'), null)) !== null
  if (kept?.step === 'swap' && !hasNext) {
    // The run ended between the swap and this write. The sync continues from its own position, which is not ahead.
    await catalog.writeState(rebuildKey, null, lock)
    return { documents: (await index.status()).documents, resumed: true }
  }
  const dimensions = (await context.embedder?.dimensions()) ?? null
  // An earlier version stored positions of another kind. The model may have been changed under the same name.
  const canResume =
    Number.isSafeInteger(kept?.position) &&
    typeof kept?.scannedTo === 'object' &&
    kept.settings === index.settings &&
    kept.dimensions === dimensions
  const resumed = kept !== null && hasNext && canResume
  let state = resumed ? kept : await begin(context, dimensions)
  const keep = async (progress: Partial<RebuildState>) => {
    state = { ...state, ...progress }
    await catalog.writeState(rebuildKey, state, lock)
  }
  const removeHidden = syncLock === null ? async () => undefined : await removals(context, syncLock)
  const keepAndRemove = async (progress: Partial<RebuildState>) => {
    await keep(progress)
    await removeHidden()
  }
  const replay = () => replayLog(context, state.position, 'next', (position) => keepAndRemove({ position }))

  let rejected = 0
  if (state.step === 'scan') {
    rejected = await scan(context, state.scannedTo, (scannedTo) => keepAndRemove({ scannedTo }))
    await keep({ step: 'replay' })
  }
  rejected += (await replay()).rejected
  await verify(context, () => state.position)
  const finish = async (sync: Lock) => {
    // Refused after a takeover: the other run may have made this copy the live index already.
    await keep({ step: 'replay' })
    await replay()
    await keep({ step: 'swap' })
    lock.check()
    await index.swap(sync)
    await catalog.writeState(ofReplica(stateKeys.syncPosition, index), state.position, sync)
    await catalog.writeState(rebuildKey, null, lock)
  }
  await (syncLock === null ? withLock(context, 'sync-index', syncTimeoutMs, finish) : finish(syncLock))
  return { documents: (await index.status()).documents, rejected, resumed }
}

/**
 * Removes from the live index what is no longer published, while a build keeps the sync from doing so. Other changes wait
 * for the new index, whose documents may have another form.
 *
 * @returns removes what the log has by now, at most once a second
 */
async function removals(
  { catalog, changes: log, index, signal }: IndexContext,
  syncLock: Lock,
): Promise<() => Promise<void>> {
  let position = (await readSyncPosition(catalog, index)) ?? 0
  let nextAtMs = (await documentsIn(index)) > 0 ? 0 : Number.POSITIVE_INFINITY
  return async () => {
    if (performance.now() < nextAtMs) {
      return
    }
    nextAtMs = performance.now() + removeEveryMs
    for (let isLast = false; !isLast; ) {
      signal.throwIfAborted()
      const { changes, head } = await log.after(position, changesPerBatch)
      const remove = changes.filter(({ contentHash }) => contentHash === null).map(({ id }) => id)
      if (
        remove.length > 0 &&
        (await unlessRefused(index.apply({ publish: [], remove }, 'live', syncLock), null)) === null
      ) {
        // A live index that cannot be written is what the build repairs.
        nextAtMs = Number.POSITIVE_INFINITY
        return
      }
      isLast = changes.length < changesPerBatch
      position = isLast ? head : (changes.at(-1)?.sequence ?? head)
    }
  }
}

async function begin(
  { catalog, changes, index, lock }: IndexContext,
  dimensions: number | null,
): Promise<RebuildState> {
  const rebuildKey = ofReplica(stateKeys.rebuild, index)
  const { head } = await changes.bounds()
  // First: stored progress must never refer to a next index that has been emptied since.
  await catalog.writeState(rebuildKey, null, lock)
  await index.createNext(lock)
  const state: RebuildState = { settings: index.settings, dimensions, step: 'scan', scannedTo: null, position: head }
  await catalog.writeState(rebuildKey, state, lock)
  return state
}

/** A page being indexed. */
interface PageInProgress {
  last: ScanPosition
  skills: number
  sizeBytes: number
  applied: Promise<AppliedCounts>
}

/**
 * Copies every published skill. Reads the next pages while earlier ones are being indexed; stores the progress page by
 * page, in order, once the index has confirmed the page and all before it.
 *
 * @returns the number of skills that the index rejected
 */
async function scan(
  context: IndexContext,
  scannedTo: ScanPosition | null,
  keep: (scannedTo: ScanPosition) => Promise<void>,
): Promise<number> {
  const { catalog, index, progress, signal } = context
  // An estimate: an exact count would be another pass over the catalog. 0: there is none.
  const expected = await documentsIn(index)
  let [done, rejected] = [0, 0]
  const inProgress: PageInProgress[] = []
  const confirmFirst = async () => {
    const page = inProgress[0]
    rejected += (await page?.applied)?.rejected ?? 0
    inProgress.shift()
    if (page !== undefined) {
      await keep(page.last)
      done += page.skills
      progress.add(page.skills, expected === 0 ? undefined : Math.max(expected, done))
    }
  }
  try {
    for (let after = scannedTo; ; ) {
      signal.throwIfAborted()
      const page = await catalog.scanForIndex(after, index.documentsPerApply)
      const end = page.at(-1)
      if (end === undefined) {
        break
      }
      for await (const skills of withTexts(catalog, page)) {
        const { id, stars } = skills.at(-1)?.skill ?? end
        const applied = publishSkills(context, skills, 'next')
        // Awaited in its turn below; until then a rejection must not count as unhandled.
        applied.catch(() => undefined)
        const sizeBytes = sizeOf(skills, context.embedder !== null)
        inProgress.push({ last: { id, stars }, skills: skills.length, sizeBytes, applied })
        while (
          inProgress.length >= index.appliesAtOnce ||
          inProgress.reduce((sum, page) => sum + page.sizeBytes, 0) > maxBytesInProgress
        ) {
          await confirmFirst()
        }
      }
      after = { id: end.id, stars: end.stars }
    }
    while (inProgress.length > 0) {
      await confirmFirst()
    }
    return rejected
  } finally {
    await Promise.allSettled(inProgress.map(({ applied }) => applied))
  }
}

/** The approximate memory that skills and their documents take: only descriptions and texts may be long. */
const sizeOf = (skills: SkillWithText[], withVectors: boolean): number =>
  skills.reduce(
    (sum, { skill, text }) =>
      sum + (withVectors ? 7_000 : 3_500) + 4 * ((skill.description?.length ?? 0) + (text?.length ?? 0)),
    0,
  )

/**
 * Compares the next index with the log, and applies differing skills once more. A difference that remains is a fault
 * that continuing would not repair.
 */
async function verify(context: IndexContext, position: () => number): Promise<void> {
  const silent = { ...context, progress: { add: () => undefined }, report: () => undefined }
  const repairs = async () => {
    let repaired = 0
    await compareIndex(silent, 'next', position(), async (found) => {
      const ids = found.map(({ id }) => id)
      repaired += ids.length - (await applyIds(silent, ids, 'next')).rejected
    })
    return repaired
  }
  const differences = (await repairs()) === 0 ? 0 : await repairs()
  if (differences > 0) {
    await context.catalog.writeState(ofReplica(stateKeys.rebuild, context.index), null, context.lock)
    throw operatorError(
      'rebuild_not_verified',
      `The new index differs from the catalog in ${differences} skills, so the current one stays. ` +
        'Run the rebuild again; if it ends like this again, please report it with the log.',
    )
  }
}

/** The number of live documents; 0 when the index cannot report it, which a rebuild repairs. */
const documentsIn = (index: IndexReplica): Promise<number> =>
  unlessRefused(
    index.status().then(({ documents }) => documents),
    0,
  )

/** The result of work at an index, or another one where the index fails. @throws errors that are not of the index */
export async function unlessRefused<T>(work: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof AppError && error.code !== 'lock_lost') {
      return otherwise
    }
    throw error
  }
}
