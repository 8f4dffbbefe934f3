import type { Fence } from '../../../shared/ports/locks.js'
import type { IndexTarget, SearchDocument } from '../../../shared/ports/search-index.js'
import { contentHash } from '../../../shared/records/content-hash.js'
import type { Skill } from '../../../shared/records/skill.js'
import type { JobContext } from '../runner/job.js'
import { embedSkills } from './embed-skills.js'

/** Changes of an index, counted. */
export interface AppliedCounts {
  published: number
  removed: number
  /** Skills that the index rejected. */
  rejected: number
}

/**
 * Publishes and removes skills in an index. Keeps dead letters of rejected skills, and drops those of the others.
 *
 * @returns the counts, and the ids of the rejected skills
 */
export async function applySkills(
  context: JobContext,
  { publish, remove }: { publish: Skill[]; remove: string[] },
  target: IndexTarget,
  fence: Fence,
): Promise<AppliedCounts & { refused: Set<string> }> {
  const { index, catalog, clock, report } = context
  const vectors = await embedSkills(context, publish, target)
  const documents = publish.map(
    (skill): SearchDocument => ({
      id: skill.id,
      contentHash: contentHash(skill),
      skill,
      vector: vectors.get(skill.id) ?? null,
    }),
  )
  const { rejected } = await index.apply({ publish: documents, remove }, target, fence)
  const refused = new Set(rejected.map(({ id }) => id))
  const applied = [...publish.map(({ id }) => id), ...remove].filter((id) => !refused.has(id))
  await catalog.dropDeadLetters(applied, 'index', fence)
  const since = clock().toISOString()
  await catalog.keepDeadLetters(
    rejected.map((letter) => ({ ...letter, since, source: 'index' })),
    fence,
  )
  for (const { id, reason } of rejected) {
    report({ kind: 'rejected', id, reason })
  }
  return { published: publish.length - refused.size, removed: remove.length, rejected: refused.size, refused }
}

/** Updates an index to the published skills of the catalog with these ids (at most 1,000). */
export async function applyIds(
  context: JobContext,
  ids: string[],
  target: IndexTarget,
  fence: Fence,
): Promise<AppliedCounts & { refused: Set<string> }> {
  const found = await context.catalog.findSkills(ids)
  const publish = found.flatMap((each) => (each.state === 'published' ? [each.skill] : []))
  const published = new Set(publish.map(({ id }) => id))
  return applySkills(context, { publish, remove: ids.filter((id) => !published.has(id)) }, target, fence)
}
