import { z } from 'zod'
import { type RecordType, recordTypes } from '../../../shared/records/records.js'
import { AppError } from '../../../shared/runtime/errors.js'
import { BatchWriter } from '../import/batch-writer.js'
import { changeState, type Mirror, rejectRecord, removeOthers, snapshotTypes, withoutCopied } from './mirror.js'
import { checkSource, readChanges } from './read-changes.js'
import { readExport } from './read-export.js'
import { fileOf, findNewestSnapshot, isWhole, notSigned, type Snapshot, type SnapshotFile } from './signed-manifest.js'
import type { SourceCatalog } from './source-catalog.js'

/** After this many restarts in a row the source is considered broken. */
const maxRestarts = 3

/**
 * Updates the skills of the copy to the source's current state: from the position of the last run, or from the beginning
 * when the source no longer keeps the changes since then.
 *
 * @throws AppError `changes_gone` when the source does not even keep the changes since a copy that has just started
 */
export async function catchUp(mirror: Mirror): Promise<void> {
  if (mirror.state.copied.skills?.sha256) {
    await changeState(mirror, withoutCopied(mirror.state, 'skills'))
  }
  for (let restarts = 0; ; restarts += 1) {
    try {
      if (!mirror.state.complete) {
        await makeCopy(mirror)
      }
      await readChanges(mirror)
      return
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'changes_gone') || restarts === maxRestarts) {
        throw error
      }
    }
    mirror.display.report(
      'The source no longer keeps all changes since the last run: the skills are copied again from the start.',
    )
    mirror.counts.restarts += 1
    await changeState(mirror, outOfStep)
  }
}

/** Skills of which a part may be copied: they follow the changes only from the start. */
const outOfStep = { since: 0, complete: false, stale: true } as const

/** Copies all skills: from the source's export when it is complete, else from the start of the changes. */
async function makeCopy(mirror: Mirror): Promise<void> {
  const newest = mirror.state.since === 0 ? await findNewestSnapshot(mirror) : null
  const file = newest === null ? null : fileOf(newest, 'skills')
  if (newest !== null && file !== null && isWhole(file) && (await areKept(mirror.source, newest.changesSince))) {
    const isCopied = await copyFile(mirror, 'skills', newest, file)
    // The skills follow the changes from here.
    mirror.state = { ...mirror.state, ...withoutCopied(mirror.state, 'skills') }
    if (isCopied) {
      return
    }
  }
  const { unidentified } = mirror.counts
  const seen = await copyChanges(mirror)
  if (mirror.state.stale) {
    await removeOthers(mirror, 'skills', seen, unidentified)
  }
  await changeState(mirror, { complete: true, stale: false })
}

/** Whether the source keeps all changes after this position. @param since null: not known */
async function areKept(source: SourceCatalog, since: number | null): Promise<boolean> {
  try {
    await (since === null ? null : source.get(`/api/v1/changes?since=${since}&limit=1`, z.unknown()))
    return since !== null
  } catch (error) {
    if (error instanceof AppError && error.code === 'changes_gone') {
      return false
    }
    throw error
  }
}

/** @returns the ids of all published skills */
async function copyChanges(mirror: Mirror): Promise<Set<string>> {
  const seen = new Set<string>()
  mirror.counts.from = 'changes'
  await readChanges(mirror, (published, removed) => {
    for (const id of published) {
      seen.add(id)
    }
    for (const id of removed) {
      seen.delete(id)
    }
  })
  return seen
}

/** The files of the source's newest snapshot that the copy contains now. */
type SnapshotFiles = Partial<Record<RecordType, SnapshotFile>>

/** A copy that follows no changes needs the files: a snapshot may be replaced while it is copied, but not each time. */
const maxAttempts = 3

/**
 * Updates the copy to the source's newest snapshot: prompts and organizations, and skills where the copy follows no
 * changes. Records that the snapshot does not list are removed, but only when its file is not truncated.
 *
 * The computed fields of organizations are not copied: the copy computes them from its own skills.
 *
 * @throws AppError as `readExport`; `snapshot_not_signed`, also when a copy that follows no changes finds no snapshot
 */
export async function copySnapshot(mirror: Mirror): Promise<SnapshotFiles> {
  const types = mirror.followsChanges ? snapshotTypes : recordTypes
  for (let attempt = 1; ; attempt += 1) {
    const newest = await findNewestSnapshot(mirror)
    const files: SnapshotFiles = {}
    for (const type of types) {
      const file = newest === null ? null : fileOf(newest, type)
      if (newest !== null && file !== null && (await copyFile(mirror, type, newest, file))) {
        files[type] = file
      }
    }
    const missing = types.find((type) => files[type] === undefined)
    if (missing === undefined || mirror.followsChanges) {
      return files
    }
    if (newest === null || attempt === maxAttempts) {
      throw notSigned(mirror, newest, newest === null ? 'it has published none' : `it has no ${missing}`)
    }
  }
}

/** @returns false when the source no longer keeps the file: a newer snapshot has replaced it */
async function copyFile(
  mirror: Mirror,
  type: RecordType,
  { generatedAt, changesSince }: Snapshot,
  file: SnapshotFile,
): Promise<boolean> {
  const { sha256, rows, total } = file
  if (mirror.state.copied[type]?.sha256 !== sha256) {
    const { unidentified } = mirror.counts
    try {
      if (mirror.followsChanges) {
        await checkSource(mirror)
      }
      await changeState(mirror, { ...withoutCopied(mirror.state, type), ...(type === 'skills' ? outOfStep : {}) })
      const seen = await copyExport(mirror, type, file)
      if (isWhole(file)) {
        await removeOthers(mirror, type, seen, unidentified)
      }
    } catch (error) {
      if (error instanceof AppError && [404, 410].includes(error.status)) {
        return false
      }
      throw error
    }
    if (type === 'skills') {
      mirror.counts.from = 'export'
      if (isWhole(file) && changesSince !== null) {
        mirror.state = { ...mirror.state, since: changesSince, complete: true, stale: false }
      }
    }
  }
  const copied = { generatedAt, sha256, rows, total }
  await changeState(mirror, { copied: { ...mirror.state.copied, [type]: copied } })
  return true
}

/**
 * Writes the records of a snapshot file into the copy.
 *
 * @returns the ids of all records of the file, with those of rejected records that have one
 * @throws AppError as `readExport`
 */
export async function copyExport(mirror: Mirror, type: RecordType, file: SnapshotFile): Promise<Set<string>> {
  const { catalog, counts, display } = mirror
  const before = counts.published[type]
  const writer = new BatchWriter(type, catalog)
  const seen = new Set<string>()
  for await (const exported of readExport(mirror, type, file)) {
    if (exported.id !== null) {
      seen.add(exported.id)
    }
    if ('record' in exported) {
      // What the operator of the copy has hidden stays so: a source has published records only.
      await writer.add(exported.record, exported.sizeBytes, false)
    } else {
      rejectRecord(mirror, `${file.path}, ${exported.place}`, exported)
    }
    display.update(seen.size, file.rows, `${seen.size} ${type}`)
  }
  await writer.flush()
  counts.published[type] = before + writer.counts.added + writer.counts.changed
  return seen
}
