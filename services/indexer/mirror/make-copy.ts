import { z } from 'zod'
import { AppError } from '../../../shared/runtime/errors.js'
import { copyExport } from './copy-snapshot.js'
import { type Mirror, removeOthers, withoutCopied, writeMirrorState } from './mirror.js'
import { checkSource, readChanges } from './read-changes.js'
import { isFileGone } from './read-export.js'
import { fileOf, findNewestSnapshot, isWhole, type SnapshotFile } from './signed-manifest.js'
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
  if (mirror.state.copied.skills !== undefined) {
    mirror.state = withoutCopied(mirror.state, 'skills')
    await writeMirrorState(mirror.catalog, mirror.state)
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
    mirror.state = { ...mirror.state, since: 0, complete: false, stale: true }
    await writeMirrorState(mirror.catalog, mirror.state)
  }
}

/** Copies all skills: from the source's export when it is complete, else from the start of the changes. */
async function makeCopy(mirror: Mirror): Promise<void> {
  const { unidentified } = mirror.counts
  if (mirror.state.catalog !== null) {
    await checkSource(mirror)
  }
  const exported = mirror.state.since === 0 ? await findWholeExport(mirror) : null
  const seen = (exported === null ? null : await copyWholeExport(mirror, exported)) ?? (await copyChanges(mirror))
  if (mirror.state.stale) {
    await removeOthers(mirror, 'skills', seen, unidentified)
  }
  mirror.state = { ...mirror.state, complete: true, stale: false }
  await writeMirrorState(mirror.catalog, mirror.state)
}

/** A file of all skills, and the position of the changes that follow it. */
interface WholeExport {
  file: SnapshotFile
  changesSince: number
}

/**
 * The newest export of all skills; null when there is none, when it is truncated or has no position, or when the source
 * no longer keeps the changes after it.
 */
async function findWholeExport(mirror: Mirror): Promise<WholeExport | null> {
  const { source } = mirror
  const newest = await findNewestSnapshot(mirror)
  const file = newest === null ? null : fileOf(newest, 'skills')
  const changesSince = newest?.changesSince ?? null
  if (file === null || !isWhole(file) || changesSince === null || !(await areKept(source, changesSince))) {
    return null
  }
  return { file, changesSince }
}

/** Whether the source keeps all changes after this position. */
async function areKept(source: SourceCatalog, since: number): Promise<boolean> {
  try {
    await source.get(`/api/v1/changes?since=${since}&limit=1`, z.unknown())
    return true
  } catch (error) {
    if (error instanceof AppError && error.code === 'changes_gone') {
      return false
    }
    throw error
  }
}

/** @returns the ids of the export; null when the source no longer keeps the file */
async function copyWholeExport(mirror: Mirror, { file, changesSince }: WholeExport): Promise<Set<string> | null> {
  const { catalog, state } = mirror
  try {
    // After an interruption, the next export does not list the skills that were removed in between.
    mirror.state = { ...state, stale: true }
    await writeMirrorState(catalog, mirror.state)
    const seen = await copyExport(mirror, 'skills', file)
    mirror.counts.from = 'export'
    mirror.state = { ...mirror.state, since: changesSince }
    return seen
  } catch (error) {
    if (isFileGone(error)) {
      mirror.state = state
      return null
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
