import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pipeline } from 'node:stream/promises'
import { z } from 'zod'
import { AppError, operatorError } from '../../../shared/errors.js'
import { Skill } from '../../../shared/records/skill.js'
import type { Mirror } from './mirror.js'
import { writeMirrorState } from './mirror-state.js'
import { drop, readChanges, takeIn } from './read-changes.js'
import type { SourceCatalog } from './source-catalog.js'

/** How many skills are written at a time. */
const batchSize = 1_000

/** As the source tells it; what it tells beside that is not looked at. */
const Snapshots = z.object({
  data: z.array(
    z.object({
      changesSince: z.int().min(0).nullable(),
      files: z.array(
        z.object({
          type: z.string(),
          format: z.string(),
          encoding: z.string(),
          path: z.string().startsWith('/'),
          truncated: z.boolean(),
          bytes: z.int().min(0),
          sha256: z.string().regex(/^[0-9a-f]{64}$/),
        }),
      ),
    }),
  ),
})

/** A file of all skills, and where the changes go on from it. */
interface WholeExport {
  path: string
  bytes: number
  sha256: string
  changesSince: number
}

/** Makes a copy of everything: from the source's export when that is whole, else from the start of its changes. */
export async function makeCopy(mirror: Mirror): Promise<void> {
  const seen = new Set<string>()
  const exported = mirror.state.since === 0 ? await findWholeExport(mirror) : null
  if (exported !== null && (await copyExport(mirror, exported, seen))) {
    mirror.counts.from = 'export'
    mirror.state = { ...mirror.state, since: exported.changesSince }
  } else {
    mirror.counts.from = 'changes'
    await readChanges(mirror, (published, removed) => {
      for (const id of published) {
        seen.add(id)
      }
      for (const id of removed) {
        seen.delete(id)
      }
    })
  }
  if (mirror.state.stale) {
    await dropUnseen(mirror, seen)
  }
  mirror.state = { ...mirror.state, complete: true, stale: false }
  await writeMirrorState(mirror.catalog, mirror.state)
}

/**
 * The newest export of all skills; null when there is none, it is cut, or the changes cannot be continued from it: it
 * does not say where, or they are not kept for as long as it is old.
 */
async function findWholeExport({ source }: Mirror): Promise<WholeExport | null> {
  const { data } = await source.get('/api/v1/exports', Snapshots)
  const [newest] = data
  const file = newest?.files.find(
    ({ type, format, encoding }) => type === 'skills' && format === 'ndjson' && encoding === 'identity',
  )
  const changesSince = newest?.changesSince ?? null
  if (file === undefined || file.truncated || changesSince === null || !(await areKept(source, changesSince))) {
    return null
  }
  return { path: file.path, bytes: file.bytes, sha256: file.sha256, changesSince }
}

/** Whether the source still tells all changes behind this position. */
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

/**
 * @returns false when the source has dropped the file meanwhile
 * @throws AppError `download_damaged`
 */
async function copyExport(mirror: Mirror, exported: WholeExport, seen: Set<string>): Promise<boolean> {
  const { source, catalog, folder } = mirror
  // It stays when the download breaks off, and is completed next time.
  const file = join(folder, 'mirror.part')
  try {
    await source.download(exported, file)
  } catch (error) {
    if (error instanceof AppError && (error.status === 404 || error.status === 410)) {
      return false
    }
    throw error
  }
  try {
    if ((await hashOf(file)) !== exported.sha256) {
      throw operatorError(
        'download_damaged',
        `${source.url}${exported.path} did not arrive as its hash says. Run it again.`,
      )
    }
    // If this ends in between, a later export says nothing of what is removed meanwhile.
    mirror.state = { ...mirror.state, stale: true }
    await writeMirrorState(catalog, mirror.state)
    for await (const skills of readSkills(source, exported.path, file)) {
      await takeIn(mirror, skills)
      for (const { id } of skills) {
        seen.add(id)
      }
    }
  } finally {
    await rm(file, { force: true })
  }
  return true
}

async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}

async function* readSkills(source: SourceCatalog, path: string, file: string): AsyncGenerator<Skill[]> {
  let batch: Skill[] = []
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
    batch.push(source.understand(path, Skill, line))
    if (batch.length === batchSize) {
      yield batch
      batch = []
    }
  }
  yield batch
}

/** Removes what was there before and is not part of the new copy. */
async function dropUnseen(mirror: Mirror, seen: Set<string>): Promise<void> {
  let afterId: string | null = null
  do {
    const ids: string[] = await mirror.catalog.listIds('skills', afterId, batchSize)
    await drop(
      mirror,
      ids.filter((id) => !seen.has(id)),
    )
    afterId = ids.at(-1) ?? null
  } while (afterId !== null)
}
