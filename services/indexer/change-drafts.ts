import { hash } from 'node:crypto'
import type { ChangeDraft } from '../../shared/ports/change-log.js'
import type { Skill } from '../../shared/records/skill.js'
import { mapBatch } from './apply-changes.js'
import type { JobContext } from './job.js'

/**
 * What of these skills the change log does not say yet. One that was never told as published is no removal, whatever
 * became of it: that it is there is nobody's business.
 *
 * @param stored ids, each once, with what is stored under them now, unchecked; null or undefined for nothing
 */
export async function changeDrafts(
  { changes }: Pick<JobContext, 'changes'>,
  stored: { id: string; stored: unknown }[],
): Promise<ChangeDraft[]> {
  const { publish } = await mapBatch(stored)
  const hashes = new Map(publish.map(({ id, skill }) => [id, changeHash(skill)]))
  const logged = new Map((await changes.logged(stored.map(({ id }) => id))).map((entry) => [entry.id, entry]))
  return stored
    .map(({ id }) => ({ id, contentHash: hashes.get(id) ?? null }))
    .filter(({ id, contentHash }) => (logged.get(id)?.contentHash ?? null) !== contentHash)
}

/**
 * Equal for skills that are the same to who keeps a copy. When a skill was last taken in does not count: a crawler that
 * notes its visits in a document moves it, and a copy has its own.
 */
export const changeHash = ({ indexedAt: _, ...content }: Skill): string =>
  hash('sha256', JSON.stringify(content)).slice(0, 32)
