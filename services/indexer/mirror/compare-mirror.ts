import { z } from 'zod'
import { contentHash } from '../../../shared/records/content-hash.js'
import {
  type RecordType,
  type StoredOrganization,
  type StoredPrompt,
  toPublicOrganization,
  toPublicPrompt,
} from '../../../shared/records/records.js'
import { type StoredSkill, skillOf, toPublicSkill } from '../../../shared/records/skill.js'
import { idPages } from '../import/record-ids.js'
import { catchUp } from './copy.js'
import { boundWalk, type Mirror } from './mirror.js'
import { type ExportedRecord, mapSourceRecord, readExport } from './read-export.js'
import { isWhole, type SnapshotFile } from './signed-manifest.js'

/** Skills per response. */
const pageSize = 100

/** Ids per request: the longest ids fit in an address of 8,000 characters. */
const idsPerRequest = 35

/** A difference is reported after this many checks: a new change arrives some seconds later. */
const maxChecks = 3
const betweenChecksMs = 3_000

const SourceSkill = z.looseObject({ id: z.string().max(300) })
type SourceSkill = z.output<typeof SourceSkill>

const SkillPage = z.object({
  data: z.array(SourceSkill).max(pageSize),
  pagination: z.object({ total: z.int(), nextCursor: z.string().max(2_000).nullable() }),
})

const SkillsById = z.object({ data: z.array(SourceSkill).max(pageSize) })

/** A record with a difference. */
export interface MirrorDifference {
  type: RecordType
  id: string
  /** `missing`: at the source only; `extra`: in the copy only; `different`: in both, with different content. */
  kind: 'missing' | 'extra' | 'different'
}

/** The result of a comparison. */
export interface MirrorComparison {
  compared: number
  differences: MirrorDifference[]
}

/**
 * Compares the skills of the copy with those of the source, by id and content, while both may change.
 * `indexedAt` is not compared: each catalog has its own.
 */
export async function compareMirror(mirror: Mirror): Promise<MirrorComparison> {
  const { source } = mirror
  const bound = boundWalk(source, '/api/v1/skills')
  const seen = new Set<string>()
  let suspects: string[] = []
  let cursor: string | null = null
  do {
    // The time of creation does not change: each skill that is not removed meanwhile is listed once.
    const query = `sort=created&order=asc&limit=${pageSize}${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`
    const page: z.output<typeof SkillPage> = await source.get(`/api/v1/skills?${query}`, SkillPage)
    bound(page.data.length)
    const differences = await compareSkills(mirror, page.data, [])
    suspects.push(...differences.map(({ id }) => id))
    for (const { id } of page.data) {
      seen.add(id)
    }
    mirror.display.update(seen.size, page.pagination.total, `${seen.size} compared`)
    cursor = page.pagination.nextCursor
  } while (cursor !== null)
  const extra = await publishedOthers(mirror, 'skills', seen)
  suspects = suspects.concat(extra)

  let differences: MirrorDifference[] = []
  for (let check = 1; check <= maxChecks && suspects.length > 0; check += 1) {
    await source.pause(check === 1 ? 0 : betweenChecksMs)
    await catchUp(mirror)
    differences = await checkAgain(mirror, suspects)
    suspects = differences.map(({ id }) => id)
  }
  return { compared: seen.size + extra.length, differences }
}

async function checkAgain(mirror: Mirror, ids: string[]): Promise<MirrorDifference[]> {
  const differences: MirrorDifference[] = []
  for (let from = 0; from < ids.length; from += idsPerRequest) {
    const asked = ids.slice(from, from + idsPerRequest)
    const { data } = await mirror.source.get(
      `/api/v1/skills?ids=${asked.map(encodeURIComponent).join(',')}`,
      SkillsById,
    )
    const returned = data.filter(({ id }) => asked.includes(id))
    differences.push(...(await compareSkills(mirror, returned, asked)))
  }
  return differences
}

/**
 * The differences between the copy and these skills of the source.
 *
 * @param asked requested ids: the copy must not contain those that the source has not returned
 */
async function compareSkills({ catalog }: Mirror, skills: SourceSkill[], asked: string[]): Promise<MirrorDifference[]> {
  const returned = new Map(skills.map((skill) => [skill.id, skill]))
  const ids = [...new Set([...returned.keys(), ...asked])]
  const found = ids.length === 0 ? [] : await catalog.findSkills(ids)
  return ids.flatMap((id, place): MirrorDifference[] => {
    const their = returned.get(id)
    const our = found[place]?.state === 'published' ? skillOf(found[place]) : null
    if (their === undefined) {
      return our === null ? [] : [{ type: 'skills', id, kind: 'extra' }]
    }
    if (our === null) {
      return [{ type: 'skills', id, kind: 'missing' }]
    }
    const mapped = mapSourceRecord('skills', their)
    const equal = 'record' in mapped && contentHash(mapped.record) === contentHash(our)
    return equal ? [] : [{ type: 'skills', id, kind: 'different' }]
  })
}

/** Records per comparison; a prompt may have hundreds of kilobytes. */
const batchSize = 100

/**
 * Compares the copy's records of a type with a file of the source's newest snapshot. With a truncated file, further
 * records in the copy are no differences.
 *
 * @throws AppError as `readExport`
 */
export async function compareSnapshot(mirror: Mirror, type: RecordType, file: SnapshotFile): Promise<MirrorComparison> {
  const seen = new Set<string>()
  const differences: MirrorDifference[] = []
  let batch: ExportedRecord<RecordType>[] = []
  let compared = 0
  const compareBatch = async () => {
    differences.push(...(await compareRecords(mirror, type, batch)))
    compared += batch.length
    batch = []
  }
  for await (const exported of readExport(mirror, type, file)) {
    batch.push(exported)
    if (exported.id !== null) {
      seen.add(exported.id)
    }
    if (batch.length === batchSize) {
      await compareBatch()
    }
  }
  await compareBatch()
  const extra = isWhole(file) ? await publishedOthers(mirror, type, seen) : []
  return {
    compared: compared + extra.length,
    differences: [...differences, ...extra.map((id) => ({ type, id, kind: 'extra' }) as const)],
  }
}

async function compareRecords(
  { catalog }: Mirror,
  type: RecordType,
  batch: ExportedRecord<RecordType>[],
): Promise<MirrorDifference[]> {
  const found = await catalog.findStored(
    type,
    batch.flatMap(({ id }) => id ?? []),
    'fields',
  )
  const stored = new Map(found.map((each) => [each.id, each.stored as { state?: unknown }]))
  return batch.flatMap((exported): MirrorDifference[] => {
    const { id, place } = exported
    const our = id === null ? undefined : stored.get(id)
    if (our?.state !== 'published') {
      return [{ type, id: id ?? place, kind: 'missing' }]
    }
    const equal = 'record' in exported && publicText(type, exported.record) === publicText(type, our)
    return equal ? [] : [{ type, id: id ?? place, kind: 'different' }]
  })
}

/** The public fields of a stored record, without those that each catalog computes. */
const publicText = (type: RecordType, stored: unknown): string => {
  switch (type) {
    case 'skills':
      return JSON.stringify({ ...toPublicSkill(stored as StoredSkill), indexedAt: null })
    case 'prompts':
      return JSON.stringify(toPublicPrompt(stored as StoredPrompt))
    case 'organizations':
      return JSON.stringify(
        toPublicOrganization({ login: '', skills: 0, stars: 0, topTopics: [] }, stored as StoredOrganization),
      )
  }
}

async function publishedOthers({ catalog }: Mirror, type: RecordType, seen: Set<string>): Promise<string[]> {
  const others: string[] = []
  for await (const ids of idPages(catalog, type)) {
    const found = await catalog.findStored(
      type,
      ids.filter((id) => !seen.has(id)),
      'fields',
    )
    others.push(...found.filter(({ stored }) => Object(stored).state === 'published').map(({ id }) => id))
  }
  return others
}
