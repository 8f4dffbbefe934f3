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

// Ranks stay below 2^53, where JavaScript's numbers are exact: 20 bits of stars, 19 of hours, 14 to distinguish.
const starSteps = 2 ** 20
const hourSteps = 2 ** 19
const places = 2 ** 14
const firstHour = Date.UTC(2008, 0, 1) / 3_600_000

/** Hours that no dated skill has, over which skills without a date are spread. */
const undatedHours = 2 ** 10

/** What the rank of a skill is made of. */
export type RankedSkill = Pick<Skill, 'id' | 'stars' | 'updatedAt'>

/** The most stars that ranks distinguish from fewer. */
export const maxRankedStars = starSteps - 2

/** The smallest rank of all skills with at most `stars`. */
export const rankOfStars = (stars: number | null): number =>
  (starSteps - 1 - Math.min(stars === null ? 0 : stars + 1, starSteps - 1)) * hourSteps * places

/**
 * The rank of a skill among those that fit a search equally well: the smaller, the better. By stars, then by the hour of
 * its update, absent values last; then in an arbitrary but stable order.
 *
 * @param attempt 0, 1, 2 …: further ranks to try when one is in use, in growing distance from the first
 */
export function rankOf(skill: RankedSkill, attempt = 0): number {
  const random = hash('sha1', `${attempt} ${skill.id}`, 'buffer')
  const hour =
    skill.updatedAt === null
      ? random.readUInt32BE(8) % undatedHours
      : Math.min(hourSteps - 1, Math.max(undatedHours, Math.floor(Date.parse(skill.updatedAt) / 3_600_000) - firstHour))
  const spread = Math.min(places * 2 ** attempt, hourSteps * places)
  const within = (hourSteps - 1 - hour) * places + (random.readUIntBE(0, 6) % spread)
  return rankOfStars(skill.stars) + Math.min(within, hourSteps * places - 1)
}
