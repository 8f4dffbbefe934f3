import { hash } from 'node:crypto'
import { type Skill, toPublicSkill } from './skill.js'

/**
 * The public content of a skill as JSON, in the one documented order of fields, without `indexedAt`: that says when the
 * content changed last, and each copy of a catalog has its own.
 */
export function contentText(skill: Skill): string {
  const { indexedAt: _, ...content } = toPublicSkill(skill)
  return JSON.stringify(content)
}

/** Equal for equal contents. @param text see `contentText` */
export const hashOfContent = (text: string): string => hash('sha256', text).slice(0, 32)

/** Equal for skills with equal public content, see `contentText`. */
export const contentHash = (skill: Skill): string => hashOfContent(contentText(skill))
