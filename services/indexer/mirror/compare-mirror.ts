import { z } from 'zod'
import { Skill, toPublicSkill } from '../../../shared/records/skill.js'
import { withoutAddresses } from '../../../shared/text/public-record.js'
import { changeHash } from '../change-drafts.js'
import { catchUp } from './catch-up.js'
import type { Mirror } from './mirror.js'

/** How many skills the source tells at once. */
const pageSize = 100

/** How often a difference is looked at again before it counts: what was just written is on its way. */
const looks = 3
const betweenLooksMs = 3_000

const SkillPage = z.object({
  data: z.array(Skill),
  pagination: z.object({ total: z.int(), nextCursor: z.string().nullable() }),
})

const SkillsById = z.object({ data: z.array(Skill) })

/** How a skill differs. */
export interface MirrorDifference {
  id: string
  /** `missing`: at the source only; `extra`: in the copy only; `different`: in both, with other content. */
  kind: 'missing' | 'extra' | 'different'
}

/** What a comparison came to. */
export interface MirrorComparison {
  compared: number
  differences: MirrorDifference[]
}

/**
 * Compares the copy with every skill of its source, by id and content, while both may be changing. When a skill was
 * taken in is each one's own.
 */
export async function compareMirror(mirror: Mirror): Promise<MirrorComparison> {
  const seen = new Set<string>()
  let suspects: string[] = []
  let cursor: string | null = null
  do {
    // In an order in which nothing moves: each skill that stays is met once.
    const query = `sort=created&order=asc&limit=${pageSize}${cursor === null ? '' : `&cursor=${cursor}`}`
    const page: z.output<typeof SkillPage> = await mirror.source.get(`/api/v1/skills?${query}`, SkillPage)
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
  for (let look = 1; look <= looks && suspects.length > 0; look += 1) {
    await mirror.source.pause(look === 1 ? 0 : betweenLooksMs)
    await catchUp(mirror)
    differences = await lookAgain(mirror, suspects)
    suspects = differences.map(({ id }) => id)
  }
  return { compared, differences }
}

/** How these skills differ now. */
async function lookAgain(mirror: Mirror, ids: string[]): Promise<MirrorDifference[]> {
  const differences: MirrorDifference[] = []
  for (let from = 0; from < ids.length; from += pageSize) {
    const asked = ids.slice(from, from + pageSize)
    const { data } = await mirror.source.get(`/api/v1/skills?ids=${asked.join(',')}`, SkillsById)
    differences.push(...(await compareSkills(mirror, data, asked)))
  }
  return differences
}

/**
 * How the copy differs from these skills of the source.
 *
 * @param asked ids of which the source was asked: what it has told nothing of must not be in the copy
 */
async function compareSkills({ catalog }: Mirror, theirs: Skill[], asked: string[]): Promise<MirrorDifference[]> {
  const told = new Map(theirs.map((skill) => [skill.id, skill]))
  const ids = [...new Set([...told.keys(), ...asked])]
  const found = ids.length === 0 ? [] : await catalog.findSkills(ids)
  return ids.flatMap((id, place): MirrorDifference[] => {
    const their = told.get(id)
    const our = found[place]?.state === 'published' ? found[place].skill : null
    if (their === undefined) {
      return our === null ? [] : [{ id, kind: 'extra' }]
    }
    if (our === null) {
      return [{ id, kind: 'missing' }]
    }
    return changeHash(toPublicSkill(withoutAddresses(their))) === changeHash(our) ? [] : [{ id, kind: 'different' }]
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
