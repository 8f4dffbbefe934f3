import { type Skill, skillOf } from '../../../shared/records/skill.js'
import type { Backends } from '../observability/backends.js'

/** Changes among which the undated skills are looked for: no list is sorted by the time at which skills were ingested. */
const latestChanges = 1_000

/**
 * The skills that were added or updated last, the latest first. One whose source gives no time of change counts from when its
 * latest change was ingested, if that is one of the last 1,000 of the catalog.
 *
 * @param limit at most so many of them
 * @param isWanted leaves out others; of those with a time of change only the latest `limit` are looked at
 * @throws AppError `catalog_unavailable` (503)
 */
export async function latestSkills(
  backends: Pick<Backends, 'catalog' | 'changes'>,
  limit: number,
  isWanted: (skill: Skill) => boolean = () => true,
): Promise<Skill[]> {
  const [dated, undated] = await Promise.all([
    backends.catalog.listSkills({ filters: {}, sort: 'updated', order: 'desc', limit }),
    undatedSkills(backends),
  ])
  const listed = dated.skills.map(skillOf).filter(({ updatedAt }) => updatedAt !== null)
  return [...undated, ...listed]
    .filter(isWanted)
    .sort((one, other) => compareTexts(lastChange(other), lastChange(one)) || compareTexts(one.id, other.id))
    .slice(0, limit)
}

/** When a skill changed last, by its source or else by the catalog. */
export const lastChange = ({ updatedAt, indexedAt }: Skill): string => updatedAt ?? indexedAt ?? beginning

/** Before every change. */
export const beginning = new Date(0).toISOString()

/** The skills without a time of change that were ingested last. */
async function undatedSkills({ catalog, changes }: Pick<Backends, 'catalog' | 'changes'>): Promise<Skill[]> {
  const ids = (await changes.latest(latestChanges)).flatMap(({ id, contentHash }) => (contentHash === null ? [] : [id]))
  return (await catalog.findSkills(ids))
    .flatMap((found) => (found.state === 'published' ? skillOf(found) : []))
    .filter(({ updatedAt }) => updatedAt === null)
}

const compareTexts = (one: string, other: string): number => (one === other ? 0 : one < other ? -1 : 1)
