import { z } from 'zod'
import { Skill, type StoredSkill } from '../../../shared/records/skill.js'
import { withoutAddresses } from '../../../shared/text/public-record.js'
import type { Mirror } from './mirror.js'
import { writeMirrorState } from './mirror-state.js'

/** How many changes are asked for at once. */
const pageSize = 1_000

/** As the source tells it; what it tells beside that is not looked at. */
const ChangesPage = z.object({
  data: z.array(z.object({ id: z.string(), skill: Skill.nullable() })),
  pagination: z.object({ nextSince: z.int().min(0), more: z.boolean() }),
})

/** One that does not move on would be asked for without end. */
const pageBehind = (since: number) =>
  ChangesPage.refine(({ pagination: { nextSince, more } }) => !more || nextSince > since, {
    path: ['pagination', 'nextSince'],
    message: 'does not move on although there is more',
  })

/**
 * Takes in the source's changes up to its present one.
 *
 * @param taken is told what was published and what was removed
 * @throws AppError `changes_gone` (410) when some of them are not kept any more
 */
export async function readChanges(
  mirror: Mirror,
  taken: (published: string[], removed: string[]) => void = () => undefined,
): Promise<void> {
  let { since } = mirror.state
  let more = true
  while (more) {
    const { data, pagination } = await mirror.source.get(
      `/api/v1/changes?since=${since}&limit=${pageSize}`,
      pageBehind(since),
    )
    const published = data.flatMap(({ skill }) => skill ?? [])
    const removed = data.filter(({ skill }) => skill === null).map(({ id }) => id)
    await takeIn(mirror, published)
    await drop(mirror, removed)
    taken(
      published.map(({ id }) => id),
      removed,
    )
    since = pagination.nextSince
    more = pagination.more
    // What may hold too much is only right when it was gone through as a whole.
    if (!mirror.state.stale && since !== mirror.state.since) {
      mirror.state = { ...mirror.state, since }
      await writeMirrorState(mirror.catalog, mirror.state)
    }
  }
  mirror.state = { ...mirror.state, since }
}

/** Puts skills into the copy as they are at the source, without e-mail addresses if an earlier version runs there. */
export async function takeIn({ catalog, counts, display }: Mirror, skills: Skill[]): Promise<void> {
  const stored = skills.map(
    (skill): StoredSkill => ({ ...withoutAddresses(skill), state: 'published', removedAt: null, formerIds: [] }),
  )
  const { added, changed } = await catalog.put('skills', stored)
  counts.published += added + changed
  display.update(counts.published, null, `${counts.published} published, ${counts.removed} removed`)
}

/** Removes from the copy what the source has no more. */
export async function drop({ catalog, counts }: Mirror, ids: string[]): Promise<void> {
  counts.removed += ids.length === 0 ? 0 : await catalog.remove('skills', ids)
}
