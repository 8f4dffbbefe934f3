import { hash } from 'node:crypto'
import { BSON, type Document } from 'mongodb'
import { type DocumentSettings, defaultDocumentSettings } from '../../document-settings.js'
import { type RecordType, recordId, type StoredRecords, storedSchemas } from '../../records/records.js'
import { type StoredSkill, skillId } from '../../records/skill.js'
import { fold } from '../../text/analyze.js'
import { inText } from '../../text/in-text.js'
import { documentToStored, ownMember } from './mongo-document.js'

/**
 * What we keep in each document under `_catalog`: what can be derived from the rest of it, in one shape and type
 * whoever wrote it, so that indexes find and sort it. A document without it has not been taken in yet.
 */
export interface OwnMember {
  /** The record's identity, unique. */
  id: string
  /** `rejected`: meant to be seen, but in a shape that cannot be. */
  state: 'published' | 'hidden' | 'removed' | 'rejected'
  /** A digest of everything else in the document. */
  hash: string
  /** What the document's changed-field held when it was taken in; absent when it had none. */
  seen?: unknown
  removedAt: string | null
  /** Of published skills: what they are found and sorted by, see `SkillKeys`. */
  skill: SkillKeys | null
  /** Former ids of a published skill, lower case. */
  formerIds: string[]
  /** Ids under which the index may still hold this skill: the document said another owner or repository before. */
  left: string[]
  /** When the database took in what is here now, on its own clock; absent until it has. */
  changedAt?: Date
}

/** Lower case or folded where the comparison is without regard to case; null where the skill has no value. */
interface SkillKeys {
  owner: string
  repo: string
  name: string
  topics: string[]
  license: string | null
  language: string | null
  archived: boolean
  stars: number | null
  created: string | null
  updated: string | null
}

/** How many ids a document is remembered to have left. */
const mostLeft = 20

/** Derives our member of a document from the rest of it. */
export function deriveOwnMember(type: RecordType, document: Document, settings: DocumentSettings): OwnMember {
  const stored = documentToStored(type, document, settings.fields)
  const id = recordId(type, stored as StoredRecords[RecordType])
  const state = stateOf(type, id, stored)
  const before: OwnMember | undefined = document[ownMember]
  const left = new Set(before?.left ?? [])
  if (before?.id !== undefined && before.id !== id && before.state !== 'rejected') {
    left.add(before.id)
  }
  left.delete(id)
  const skill = type === 'skills' && state === 'published' ? (stored as StoredSkill) : null
  const seen = document[settings.changedField]
  return {
    id,
    state,
    hash: hashOf(document, settings),
    ...(seen === undefined ? {} : { seen }),
    removedAt: state === 'removed' && typeof stored['removedAt'] === 'string' ? stored['removedAt'] : null,
    skill: skill === null ? null : skillKeys(skill),
    formerIds: skill === null ? [] : [...new Set([...skill.formerIds.map((former) => former.toLowerCase()), ...left])],
    left: [...left].slice(-mostLeft),
  }
}

/** A digest of all that others may have written into a document, and of how it is read where that is configured. */
export function hashOf(document: Document, settings: DocumentSettings): string {
  const { _id: identity, [ownMember]: own, ...rest } = document
  const written = BSON.serialize(rest, { ignoreUndefined: true })
  const reading = settings === defaultDocumentSettings ? '' : readingOf(settings)
  return hash('sha256', reading === '' ? written : Buffer.concat([written, Buffer.from(reading)]), 'base64url').slice(
    0,
    22,
  )
}

const readings = new WeakMap<DocumentSettings, string>()

/** The configured names as text; nothing for the default ones. */
function readingOf(settings: DocumentSettings): string {
  const known = readings.get(settings)
  if (known !== undefined) {
    return known
  }
  const text = JSON.stringify(settings)
  const reading = text === JSON.stringify(defaultDocumentSettings) ? '' : text
  readings.set(settings, reading)
  return reading
}

function stateOf(type: RecordType, id: string, stored: Record<string, unknown>): OwnMember['state'] {
  const { state } = stored
  if (state === 'hidden' || state === 'removed') {
    return state
  }
  const parsed = storedSchemas[type].safeParse(stored)
  if (!parsed.success || (type === 'skills' && skillId(inText(stored['owner']), inText(stored['repo'])) !== id)) {
    return 'rejected'
  }
  return 'published'
}

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

/** Ends the id of a document whose own id another one has: no name of an owner or repository has this in it. */
export const duplicateMark = '#'
