import type { Content } from '../../../../records/content-hash.js'
import { type StoredSkill, toPublicSkill } from '../../../../records/skill.js'
import { canonicalJson } from '../../../../text/format-numbers.js'
import type { SqlRow } from '../database.js'

/** The codes of record states in the tables. */
export const stateCodes = { published: 0, hidden: 1, removed: 2 } as const

const states = ['published', 'hidden', 'removed'] as const

/** The state of a code. */
export const stateOf = (code: number): (typeof states)[number] | undefined => states[code]

/** The columns of a skill's row that hold its record. */
export const recordColumns = 'state, removed_at, record, more'

/** A row with `recordColumns`. */
export interface RecordRow extends SqlRow {
  state: number
  removed_at: string | null
  /** The public skill as JSON, as it is answered. */
  record: string
  /** The other members as JSON; null: there are none. */
  more: string | null
}

/** The skill of a row. */
export function storedSkill({ state, removed_at, record, more }: RecordRow): StoredSkill {
  return {
    formerIds: [],
    // A file of an earlier version may have members there that are public fields now.
    ...(more === null ? {} : JSON.parse(more)),
    ...JSON.parse(record),
    state: states[state],
    removedAt: removed_at,
  }
}

/** The public skill as JSON. */
export const publicText = ({ before, after }: Content, indexedAt: string | null): string =>
  `${before.slice(0, -1)},"indexedAt":${JSON.stringify(indexedAt)}${after}`

/** Whether a public skill, as JSON, has this content. */
export const hasContent = (record: string, { before, after }: Content): boolean =>
  record.startsWith(before.slice(0, -1)) &&
  record.startsWith(',"indexedAt":', before.length - 1) &&
  record.endsWith(after)

/** The names of the public members, which all skills have. */
let publicMembers: ReadonlySet<string> | null = null

/** The members of a skill that are neither public nor columns, as JSON; null: there are none. */
export function moreText(skill: StoredSkill): string | null {
  const { state: _state, removedAt: _removedAt, formerIds, ...members } = skill
  publicMembers ??= new Set(Object.keys(toPublicSkill(skill)))
  const known = publicMembers
  const more = Object.entries(members).filter(([name]) => !known.has(name))
  if (more.length === 0 && formerIds.length === 0) {
    return null
  }
  return canonicalJson({ ...Object.fromEntries(more), ...(formerIds.length === 0 ? {} : { formerIds }) })
}
