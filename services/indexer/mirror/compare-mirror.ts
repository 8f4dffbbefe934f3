import { z } from 'zod'
import type { RecordType } from '../../../shared/records/records.js'
import { toPublicSkill } from '../../../shared/records/skill.js'
import { changeHash } from '../change-drafts.js'
import { catchUp } from './catch-up.js'
import { mapSourceRecord } from './map-source-record.js'
import { boundWalk, type Mirror } from './mirror.js'

/** Skills of one answer. */
const pageSize = 100

/** Ids of one request: no more characters than an address may have, 8,000, when all are as long as possible. */
const idsPerRequest = 35

/** How many times a difference is checked before it counts: a skill that was just written arrives some seconds later. */
const maxChecks = 3
const betweenChecksMs = 3_000

const SourceSkill = z.looseObject({ id: z.string().max(300) })
type SourceSkill = z.output<typeof SourceSkill>

const SkillPage = z.object({
  data: z.array(SourceSkill).max(pageSize),
  pagination: z.object({ total: z.int(), nextCursor: z.string().max(2_000).nullable() }),
})

const SkillsById = z.object({ data: z.array(SourceSkill).max(pageSize) })

/** A record that differs. */
export interface MirrorDifference {
  type: RecordType
  id: string
  /** `missing`: at the source only; `extra`: in the copy only; `different`: in both, with other content. */
  kind: 'missing' | 'extra' | 'different'
}

/** The result of a comparison. */
export interface MirrorComparison {
  compared: number
  differences: MirrorDifference[]
}

/**
 * Compares the skills of the copy with every skill of its source, by id and content, while both may be changing.
 * `indexedAt` is not compared: each catalog has its own.
 */
export async function compareMirror(mirror: Mirror): Promise<MirrorComparison> {
  const { source } = mirror
  const bound = boundWalk(source, '/api/v1/skills')
  const seen = new Set<string>()
  let suspects: string[] = []
  let cursor: string | null = null
  do {
    // Skills do not move in this order: each one that stays is listed once.
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
  const ours = await publishedIds(mirror)
  suspects.push(...ours.filter((id) => !seen.has(id)))
  const compared = new Set([...seen, ...ours]).size

  let differences: MirrorDifference[] = []
  for (let check = 1; check <= maxChecks && suspects.length > 0; check += 1) {
    await source.pause(check === 1 ? 0 : betweenChecksMs)
    await catchUp(mirror)
    differences = await checkAgain(mirror, suspects)
    suspects = differences.map(({ id }) => id)
  }
  return { compared, differences }
}

/** How these skills differ now. */
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
 * How the copy differs from these skills of the source.
 *
 * @param asked ids that the source was asked for: those that it has not returned must not be in the copy
 */
async function compareSkills({ catalog }: Mirror, skills: SourceSkill[], asked: string[]): Promise<MirrorDifference[]> {
  const returned = new Map(skills.map((skill) => [skill.id, skill]))
  const ids = [...new Set([...returned.keys(), ...asked])]
  const found = ids.length === 0 ? [] : await catalog.findSkills(ids)
  return ids.flatMap((id, place): MirrorDifference[] => {
    const their = returned.get(id)
    const our = found[place]?.state === 'published' ? found[place].skill : null
    if (their === undefined) {
      return our === null ? [] : [{ type: 'skills', id, kind: 'extra' }]
    }
    if (our === null) {
      return [{ type: 'skills', id, kind: 'missing' }]
    }
    const mapped = mapSourceRecord('skills', their)
    const equal = 'record' in mapped && changeHash(toPublicSkill(mapped.record)) === changeHash(our)
    return equal ? [] : [{ type: 'skills', id, kind: 'different' }]
  })
}

async function publishedIds({ catalog }: Mirror): Promise<string[]> {
  const ids: string[] = []
  let afterId: string | null = null
  do {
    const page: { id: string }[] = await catalog.scanSkills(afterId, 1_000)
    ids.push(...page.map(({ id }) => id))
    afterId = page.at(-1)?.id ?? null
  } while (afterId !== null)
  return ids
}
