import { hash } from 'node:crypto'
import { type Skill, toPublicSkill } from './skill.js'

/**
 * Equal for skills with equal public content. `indexedAt` does not count: it says when the content changed last, and
 * each copy of a catalog has its own.
 */
export function contentHash(skill: Skill): string {
  // In the one documented order of fields, also when they were stored in another one.
  const { indexedAt: _, ...content } = toPublicSkill(skill)
  return hash('sha256', JSON.stringify(content)).slice(0, 32)
}
