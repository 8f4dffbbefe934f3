import type { IndexTarget, SearchDocument } from '../../../shared/ports/search-index.js'
import { contentHash } from '../../../shared/records/content-hash.js'
import { type Skill, skillOf } from '../../../shared/records/skill.js'
import type { JobContext } from '../runner/job.js'
import { embedSkills } from './embed-skills.js'

/** Changes of an index, counted. */
export interface AppliedCounts {
  published: number
  removed: number
  /** Skills that the index rejected. */
  rejected: number
}

/** Skills to be published, with all that an index takes of them, and ids to be removed. */
export interface IndexChanges {
  publish: SearchDocument[]
  remove: string[]
}

/**
 * Publishes and removes skills in an index. Keeps dead letters of rejected skills, and drops those of the others.
 *
 * @param context under the lock of the jobs that write to this index
 * @returns the counts, and the ids of the rejected skills
 */
export async function applySkills(
  context: JobContext,
  { publish, remove }: { publish: Skill[]; remove: string[] },
  target: IndexTarget,
): Promise<AppliedCounts & { refused: Set<string> }> {
  return applyChanges(context, { publish: await documentsOf(context, publish, target), remove }, target)
}

/** Updates an index to the published skills of the catalog with these ids. */
export async function applyIds(
  context: JobContext,
  ids: string[],
  target: IndexTarget,
): Promise<AppliedCounts & { refused: Set<string> }> {
  return applyChanges(context, await changesOf(context, ids, target), target)
}

/** The number of ids that a catalog is asked for at a time. */
const idsPerRead = 1_000

/** What updates an index to the published skills of the catalog with these ids. */
export async function changesOf(context: JobContext, ids: string[], target: IndexTarget): Promise<IndexChanges> {
  const skills: Skill[] = []
  for (let start = 0; start < ids.length; start += idsPerRead) {
    for (const found of await context.catalog.findSkills(ids.slice(start, start + idsPerRead))) {
      if (found.state === 'published') {
        skills.push(skillOf(found))
      }
    }
  }
  const published = new Set(skills.map(({ id }) => id))
  return {
    publish: await documentsOf(context, skills, target),
    remove: ids.filter((id) => !published.has(id)),
  }
}

async function documentsOf(context: JobContext, skills: Skill[], target: IndexTarget): Promise<SearchDocument[]> {
  const [vectors, texts] = await Promise.all([embedSkills(context, skills, target), context.catalog.readTexts(skills)])
  return skills.map((skill) => ({
    id: skill.id,
    contentHash: contentHash(skill),
    skill,
    vector: vectors.get(skill.id) ?? null,
    text: texts.get(skill.id) ?? null,
  }))
}

/** As `applySkills`, of changes whose documents are made. */
export async function applyChanges(
  { index, catalog, lock, clock, report }: JobContext,
  changes: IndexChanges,
  target: IndexTarget,
): Promise<AppliedCounts & { refused: Set<string> }> {
  const { publish, remove } = changes
  const { rejected } = await index.apply(changes, target, lock)
  const refused = new Set(rejected.map(({ id }) => id))
  const applied = [...publish.map(({ id }) => id), ...remove].filter((id) => !refused.has(id))
  await catalog.dropDeadLetters(applied, 'index', lock)
  const since = clock().toISOString()
  await catalog.keepDeadLetters(
    rejected.map((letter) => ({ ...letter, since, source: 'index' })),
    lock,
  )
  for (const { id, reason } of rejected) {
    report({ kind: 'rejected', id, reason })
  }
  return { published: publish.length - refused.size, removed: remove.length, rejected: refused.size, refused }
}
