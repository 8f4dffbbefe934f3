import { hash } from 'node:crypto'
import { BSON, type Document } from 'mongodb'
import { valuesByExactName } from '../../../../fields/field-values.js'
import { contentIn } from '../../../../fields/skill-content.js'
import { contentHash } from '../../../../records/content-hash.js'
import { changedValue, type DocumentSettings, defaultDocumentSettings } from '../../../../records/document-settings.js'
import { faultInWords, faultsInWords } from '../../../../records/field-faults.js'
import {
  type RecordType,
  recordId,
  recordTypes,
  type StoredRecords,
  storedSchemas,
} from '../../../../records/records.js'
import { type StoredSkill, skillId } from '../../../../records/skill.js'
import { fold } from '../../../../text/analyze.js'
import { inText } from '../../../../text/in-text.js'
import { type CatalogMetadata, type FoundMetadata, findMetadata, type SkillKeys } from './catalog-metadata.js'
import { documentToStored, metadataField } from './document.js'

/** The number of previous ids that are kept for a document. */
const maxPreviousIds = 20

/**
 * Derives the metadata of a document from the rest of it, and from the metadata it has.
 *
 * @param now the database's time
 */
export function deriveMetadata(
  type: RecordType,
  document: Document,
  settings: DocumentSettings,
  now: Date,
): CatalogMetadata {
  const before = findMetadata(document)
  const stored = documentToStored(type, document, settings)
  const id = recordId(type, stored as StoredRecords[RecordType])
  const { state, reason } = stateOf(type, id, stored)
  const skill = type === 'skills' && state === 'published' ? (stored as StoredSkill) : null
  const previousIds = previousIdsOf(id, before)
  const lastSeen = seenAs(changedValue(document, settings))
  const content = {
    id,
    state,
    ...(reason === null ? {} : { reason }),
    hash: hashOf(document, settings),
    ...(lastSeen === undefined ? {} : { lastSeen }),
    removedAt: state === 'removed' && typeof stored['removedAt'] === 'string' ? stored['removedAt'] : null,
    skill: skill === null ? null : skillKeys(skill),
    // Derived from the history of its stars, not from the document.
    ...(before.trend === undefined ? {} : { trend: before.trend }),
    // Nothing leads to a hidden skill: its existence is not public.
    formerIds: type === 'skills' && (skill !== null || state === 'removed') ? formerIdsOf(stored, previousIds) : [],
    previousIds,
    contentHash: skill === null ? null : contentHash(skill),
    ...(skill === null ? {} : textIn(document, settings)),
  }
  return { ...content, ...historyOf(type, content, before, now) }
}

/** The digest of the text of a skill, where another application keeps it in the document. */
function textIn(document: Document, { fields }: DocumentSettings): Pick<CatalogMetadata, 'textDigest'> {
  const names = fields.skills
  const content = names.skillMd.length === 0 ? null : contentIn(valuesByExactName(document, names)).content
  return content === null ? {} : { textDigest: content.digest }
}

/** More bytes of a changed-field are not kept. */
const maxSeenBytes = 1_000

/**
 * The value of a changed-field as it is kept, to be compared with the present one. A time in any form, and other short
 * values, as they are; of longer ones and of objects a digest: a document must have room for both.
 */
export function seenAs(value: unknown): unknown {
  const isShort = typeof value === 'string' ? value.length <= maxSeenBytes : typeof value !== 'object'
  return isShort || value === null || value instanceof Date ? value : digest(BSON.serialize({ value }))
}

const digest = (...parts: Uint8Array[]): string => hash('sha256', Buffer.concat(parts), 'base64url').slice(0, 22)

function formerIdsOf({ formerIds }: Record<string, unknown>, previousIds: string[]): string[] {
  const named = Array.isArray(formerIds) ? formerIds.filter((former) => typeof former === 'string') : []
  return [...new Set([...named.map((former) => former.toLowerCase()), ...previousIds])]
}

function previousIdsOf(id: string, before: FoundMetadata): string[] {
  const ids = new Set(before.previousIds ?? before.left ?? [])
  if (before.id !== undefined && before.id !== id && before.state !== 'rejected') {
    ids.add(before.id)
  }
  ids.delete(id)
  return [...ids].slice(-maxPreviousIds)
}

/** The time of the last change, and whether that change, or one of the skill's text, waits to be logged. */
function historyOf(
  type: RecordType,
  content: Pick<CatalogMetadata, 'id' | 'state' | 'hash' | 'contentHash' | 'textDigest'>,
  before: FoundMetadata,
  now: Date,
): Pick<CatalogMetadata, 'changedAt' | 'pending' | 'textChanged' | 'wasPublished'> {
  const isKnown = before.contentHash !== undefined
  const isSame =
    before.id === content.id &&
    before.state === content.state &&
    (isKnown ? before.contentHash === content.contentHash : before.hash === content.hash)
  const changedAt = isSame ? (before.changedAt ?? now) : now
  const textChanged = before.textChanged === true || before.textDigest !== content.textDigest
  if (type !== 'skills' || (isSame && isKnown && before.pending === undefined && !textChanged)) {
    return { changedAt }
  }
  const wasPublished = before.wasPublished === true || before.state === 'published'
  return {
    changedAt,
    pending: before.pending ?? now,
    ...(textChanged ? { textChanged } : {}),
    ...(wasPublished ? { wasPublished } : {}),
  }
}

/** A digest of the members that other applications may have written, and of the configured names of fields. */
export function hashOf(document: Document, settings: DocumentSettings): string {
  const { _id: identity, [metadataField]: own, ...rest } = document
  const reading = settings === defaultDocumentSettings ? '' : readingOf(settings)
  return digest(BSON.serialize(rest, { ignoreUndefined: true }), Buffer.from(reading))
}

const readings = new WeakMap<DocumentSettings, string>()

/** The configured names and field as text; nothing for the default ones. */
function readingOf(settings: DocumentSettings): string {
  const known = readings.get(settings)
  if (known !== undefined) {
    return known
  }
  // Without the default names, so that a new default name changes no hash.
  const overrides = recordTypes.flatMap((type) => {
    const defaults: Record<string, readonly string[]> = defaultDocumentSettings.fields[type]
    const configured = Object.entries<readonly string[]>(settings.fields[type])
    return configured
      .filter(([field, names]) => names.join('\n') !== defaults[field]?.join('\n'))
      .map(([field, names]) => [type, field, names])
  })
  const { changedField, urlTemplate } = settings
  const isDefault =
    overrides.length === 0 && changedField === defaultDocumentSettings.changedField && urlTemplate === undefined
  const reading = isDefault ? '' : JSON.stringify([overrides, changedField, ...(urlTemplate ? [urlTemplate] : [])])
  readings.set(settings, reading)
  return reading
}

function stateOf(
  type: RecordType,
  id: string,
  stored: Record<string, unknown>,
): { state: CatalogMetadata['state']; reason: string | null } {
  const { state } = stored
  if (state === 'hidden' || state === 'removed') {
    return { state, reason: null }
  }
  const parsed = storedSchemas[type].safeParse(stored, { error: faultInWords })
  if (!parsed.success) {
    return { state: 'rejected', reason: faultsInWords(parsed.error) }
  }
  const { owner, repo, skill } = stored
  const identity = skillId(inText(owner), inText(repo), typeof skill === 'string' ? skill : null)
  return type === 'skills' && identity !== id
    ? { state: 'rejected', reason: `id: owner, repo and skill make ${identity}, but it is stored as ${id}` }
    : { state: 'published', reason: null }
}

/** The metadata of a document that cannot be read as a record. @param reason for the operator */
export function asRejected(type: RecordType, document: Document, reason: string, now: Date): CatalogMetadata {
  const before = findMetadata(document)
  const id = inText(document['_id'])
  const rejected = { id, state: 'rejected', hash: digest(Buffer.from(reason)), contentHash: null } as const
  return {
    ...rejected,
    reason,
    removedAt: null,
    skill: null,
    formerIds: [],
    previousIds: previousIdsOf(id, before),
    ...historyOf(type, rejected, before, now),
  }
}

/**
 * The metadata of a document whose id another document has: the first one keeps the id, and this one is rejected under
 * an id that names both.
 */
export const asDuplicate = (type: RecordType, metadata: CatalogMetadata, document: Document): CatalogMetadata => ({
  ...metadata,
  id: `${metadata.id}${duplicateMark}${inText(document['_id'])}`,
  state: 'rejected',
  reason: `id: another document is ${metadata.id} already${type === 'skills' && !metadata.id.includes('@') ? severalSkills : ''}`,
  skill: null,
  formerIds: [],
  previousIds: [],
  contentHash: null,
})

const severalSkills =
  '. If its repository holds several skills, name the field that distinguishes them: MONGODB_FIELDS=\'{"skills":{"skill":"name"}}\''

function skillKeys(skill: StoredSkill): SkillKeys {
  const [owner = '', repo = ''] = skill.id.split('/')
  return {
    owner,
    repo,
    name: fold(skill.name),
    topics: skill.topics.map((topic) => topic.toLowerCase()),
    license: skill.license?.toLowerCase() ?? null,
    language: skill.language?.toLowerCase() ?? null,
    archived: skill.archived,
    stars: skill.stars,
    created: skill.createdAt,
    updated: skill.updatedAt,
  }
}

/** Marks the id of a duplicate: no name of an owner or repository contains it. */
const duplicateMark = '#'

/** Whether a document was ingested as a duplicate of another one, which may have been deleted since. */
export const isDuplicate = (document: Document): boolean => findMetadata(document).id?.includes(duplicateMark) === true
