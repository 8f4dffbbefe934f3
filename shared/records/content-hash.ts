import { hash } from 'node:crypto'
import { type Skill, toPublicSkill } from './skill.js'

/** The public content of a skill as JSON, in the one documented order of fields, without the time of its ingestion. */
export interface Content {
  /** The fields before `indexedAt`, as an object. */
  before: string
  /** Those after it, as the end of an object. */
  after: string
  /** Equal for equal contents. */
  hash(): string
}

/**
 * Reads the public content of a skill. `indexedAt` is no part of it: that says when the content changed last, and each copy
 * of a catalog has its own.
 */
export function contentOf(stored: Skill): Content {
  const { indexedAt: _, skill, path, commit, digest, ...fields } = toPublicSkill(stored)
  const before = JSON.stringify(fields)
  const place = { skill, path, commit, digest }
  return {
    before,
    after: `,${JSON.stringify(place).slice(1)}`,
    // Without what is unknown: a skill has the hash that it had before these fields were added.
    hash: () => {
      const known = Object.entries(place).filter(([, value]) => value !== null)
      return hash('sha256', known.length === 0 ? before : before + JSON.stringify(known)).slice(0, 32)
    },
  }
}

/** Equal for skills with equal public content, see `contentOf`. */
export const contentHash = (skill: Skill): string => contentOf(skill).hash()
