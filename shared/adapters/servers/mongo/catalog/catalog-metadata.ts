import type { Document } from 'mongodb'
import { z } from 'zod'
import { metadataField } from './document.js'

/**
 * The catalog metadata of a document, under `_catalog`: values derived from the rest of the document, in one shape and
 * type for all writers, so that indexes find and sort it; and its progress towards the change log. A document without
 * metadata has not been ingested yet.
 */
export interface CatalogMetadata {
  /** The record's identity, unique. */
  id: string
  /** `rejected`: not hidden, but not valid for publication. */
  state: 'published' | 'hidden' | 'removed' | 'rejected'
  /** Why it is rejected, for the operator; absent: it is not. */
  reason?: string
  /** A digest of the rest of the document. */
  hash: string
  /** The value of the document's changed-field when it was ingested; absent when it had none. */
  lastSeen?: unknown
  removedAt: string | null
  /** Of published skills: the keys by which they are found and sorted. */
  skill: SkillKeys | null
  /** The number by which trending skills are sorted, see `trendOf`; absent: nothing was gained. */
  trend?: number
  /** Former ids of a published or removed skill, lower case. */
  formerIds: string[]
  /** Earlier ids of the document, from before its owner or repository changed. */
  previousIds: string[]
  /** Of published skills, see `contentHash`; otherwise null. */
  contentHash: string | null
  /** The last change of its content or state, by the database's clock. */
  changedAt: Date
  /** The time from which its change waits to be logged; absent: it has none. Of skills only. */
  pending?: Date
  /** The digest of the SKILL.md in the document itself; absent: it has none. */
  textDigest?: string
  /** While it waits: the text of the skill has changed, perhaps without its content hash. */
  textChanged?: true
  /** While it waits: it was published under this id before, perhaps without being logged. */
  wasPublished?: true
}

/** Lower case or folded where comparisons ignore case; null where the skill has no value. */
export interface SkillKeys {
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

const SkillKeysFound = z.object({
  owner: z.string(),
  repo: z.string(),
  name: z.string(),
  topics: z.array(z.string()),
  license: z.string().nullable(),
  language: z.string().nullable(),
  archived: z.boolean(),
  stars: z.number().nullable(),
  created: z.string().nullable(),
  updated: z.string().nullable(),
}) satisfies z.ZodType<SkillKeys>

/** A member of metadata as it is found: absent where it is none. */
const found = <T extends z.ZodType>(schema: T) => schema.optional().catch(undefined)

const texts = found(z.array(z.string()))

const MetadataFound = z.object({
  id: found(z.string().min(1)),
  state: found(z.enum(['published', 'hidden', 'removed', 'rejected'])),
  reason: found(z.string()),
  hash: found(z.string()),
  lastSeen: z.unknown().optional(),
  removedAt: found(z.string().nullable()),
  skill: found(SkillKeysFound.nullable()),
  trend: found(z.number()),
  formerIds: texts,
  previousIds: texts,
  contentHash: found(z.string().nullable()),
  changedAt: found(z.date()),
  pending: found(z.date()),
  textDigest: found(z.string()),
  textChanged: found(z.literal(true)),
  wasPublished: found(z.literal(true)),
  /** The name of `previousIds` in earlier versions. */
  left: texts,
})

/** The metadata of a document as it was read. Any application may have written it: each member may be absent. */
export type FoundMetadata = z.infer<typeof MetadataFound>

/** Reads the metadata of a document, without what is odd in it. */
export function findMetadata(document: Document): FoundMetadata {
  const parsed = MetadataFound.safeParse(document[metadataField])
  return parsed.success ? parsed.data : {}
}

const required = [
  'id',
  'state',
  'hash',
  'removedAt',
  'skill',
  'formerIds',
  'previousIds',
  'contentHash',
  'changedAt',
] as const satisfies (keyof FoundMetadata)[]

/** Whether the metadata of a document is as the catalog writes it. */
export function isWhole(document: Document, found: FoundMetadata = findMetadata(document)): boolean {
  const names = Object.keys(Object(document[metadataField]))
  return (
    required.every((name) => found[name] !== undefined) &&
    names.every((name) => name !== 'left' && (name === 'lastSeen' || Reflect.get(found, name) !== undefined))
  )
}

/** The metadata of a document; null: it has none, or another application has changed it. */
export const wholeMetadata = (document: Document): CatalogMetadata | null =>
  isWhole(document) ? document[metadataField] : null
