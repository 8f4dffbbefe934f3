import { hash } from 'node:crypto'
import type { Document } from 'mongodb'
import { checkFields, type ReadFields } from '../../../../fields/map-fields.js'
import { contentIn, type ReadContent } from '../../../../fields/skill-content.js'
import { comparedFields } from '../../../../ports/filter-table.js'
import { contentHash } from '../../../../records/content-hash.js'
import type { DocumentSettings } from '../../../../records/document-settings.js'
import {
  type RecordType,
  recordId,
  type StoredOrganization,
  type StoredRecords,
  toPublicOrganization,
  toPublicPrompt,
} from '../../../../records/records.js'
import { type StoredSkill, toPublicSkill } from '../../../../records/skill.js'
import { foldLetters } from '../../../../text/analyze.js'
import { inText } from '../../../../text/clean-text.js'
import { documentValues, readFields } from '../catalog/document.js'
import { faultOfId, keyName, type Row, type SkillKeys } from '../rows.js'

/** What a document says, before it is known which row it has. */
export interface Derived {
  /** The id of its record; null: it has none, since it cannot be read. */
  id: string | null
  state: 'published' | 'hidden' | 'removed' | 'rejected'
  /** Why it is rejected, for the operator. */
  reason: string | null
  /** The public record of a published document, of a skill without the time of its indexing. */
  record: object | null
  keys: SkillKeys | null
  contentHash: string | null
  removedAt: string | null
  /** The ids that the document names as former ones; none of a rejected skill. */
  formerIds: string[]
  skillMd: string | null
  /** The text and files that another application keeps in the document. */
  content: ReadContent | null
}

/** Reads a document. One that cannot be read is rejected, with the reason. */
export function deriveRow(type: RecordType, document: Document, settings: DocumentSettings): Derived {
  try {
    return derive(type, document, settings)
  } catch (error) {
    return { ...nothing, reason: `it cannot be read: ${error instanceof Error ? error.message : inText(error)}` }
  }
}

const nothing: Derived = {
  id: null,
  state: 'rejected',
  reason: null,
  record: null,
  keys: null,
  contentHash: null,
  removedAt: null,
  formerIds: [],
  skillMd: null,
  content: null,
}

function derive(type: RecordType, document: Document, settings: DocumentSettings): Derived {
  const read = readFields(type, document, settings)
  const stored = read.fields
  const id = recordId(type, stored as StoredRecords[RecordType])
  const tooLong = faultOfId(id)
  if (tooLong !== null) {
    return { ...nothing, reason: tooLong }
  }
  const { state, reason } = stateOf(type, read)
  const { removedAt, digest } = stored
  const common: Derived = {
    ...nothing,
    id,
    state,
    reason,
    removedAt: state === 'removed' && typeof removedAt === 'string' ? removedAt : null,
    formerIds: type === 'skills' && state !== 'rejected' ? formerIdsOf(stored) : [],
    skillMd: typeof digest === 'string' ? digest : null,
  }
  if (state !== 'published') {
    return common
  }
  if (type !== 'skills') {
    return { ...common, record: publicRecord(type, stored) }
  }
  const skill = stored as StoredSkill
  const names = settings.fields.skills
  return {
    ...common,
    record: toPublicSkill(skill),
    keys: skillKeys(skill),
    contentHash: contentHash(skill),
    content: names.skillMd.length === 0 ? null : contentIn(documentValues(document, names)).content,
  }
}

/** Only public fields are kept. The numbers of an organization are computed from its skills. */
function publicRecord(type: Exclude<RecordType, 'skills'>, stored: Record<string, unknown>): object {
  if (type === 'prompts') {
    return toPublicPrompt(stored as StoredRecords['prompts'])
  }
  const organization = stored as StoredOrganization
  return toPublicOrganization({ login: organization.login, skills: 0, stars: null, topTopics: [] }, organization)
}

/** A digest of all that a row is made of: another one means that the row is written again. */
export const madeOf = (row: Partial<Row>, { record }: Pick<Derived, 'record'>): string =>
  hash(
    'sha256',
    JSON.stringify([
      row.state,
      record,
      row.keys,
      row.removedAt,
      row.formerIds,
      row.previousIds,
      row.skillMd,
      row.text,
      row.contentHash,
    ]),
    'base64url',
  ).slice(0, 22)

function formerIdsOf({ formerIds }: Record<string, unknown>): string[] {
  const named = Array.isArray(formerIds) ? formerIds.filter((former) => typeof former === 'string') : []
  return [...new Set(named.map((former) => former.toLowerCase()))]
}

function stateOf(type: RecordType, read: ReadFields): Pick<Derived, 'state' | 'reason'> {
  const { state } = read.fields
  if (state === 'hidden' || state === 'removed') {
    return { state, reason: null }
  }
  const checked = checkFields(type, read)
  return 'reason' in checked ? { state: 'rejected', reason: checked.reason } : { state: 'published', reason: null }
}

/** Why a document is rejected whose id another document has: the first one keeps the id. */
export const duplicateReason = (type: RecordType, id: string): string =>
  `id: another document is ${id} already${type === 'skills' && !id.includes('@') ? severalSkills : ''}`

const severalSkills =
  '. If its repository holds several skills, name the field that distinguishes them: MONGODB_FIELDS=\'{"skills":{"skill":"name"}}\''

/** The keys that are compared, each with its field and the form in which a text is compared. */
const comparedKeys = comparedFields().map(({ field, kind }) => ({
  key: keyName(field),
  field,
  asKey: (text: string) => (kind === 'folded' ? foldLetters(text) : kind === 'time' ? text : text.toLowerCase()),
}))

function skillKeys(skill: StoredSkill): SkillKeys {
  const keys: Record<string, unknown> = {}
  for (const { key, field, asKey } of comparedKeys) {
    const value = skill[field]
    keys[key] = Array.isArray(value) ? value.map(asKey) : typeof value === 'string' ? asKey(value) : value
  }
  keys['repo'] = skill.id.split('/')[1]
  return keys as SkillKeys
}
