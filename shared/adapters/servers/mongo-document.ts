import type { Document } from 'mongodb'
import type { FieldNames } from '../../document-settings.js'
import { longestDescription, longestLine, longestTopic, mostTopics, PathSegment } from '../../records/fields.js'
import { longestContent, longestType } from '../../records/prompt.js'
import type { RecordType } from '../../records/records.js'
import { skillId } from '../../records/skill.js'
import { cleanLine, cleanText, shorten } from '../../text/clean-text.js'
import { inText } from '../../text/in-text.js'
import { parseTime } from '../../text/parse-time.js'
import { findHandle, holdsAddress, removeAddresses } from '../../text/personal-addresses.js'
import { publicPromptId } from '../../text/prompt-id.js'
import { toPublicAddress } from '../../text/public-address.js'
import { splitList } from '../../text/split-list.js'
import { unwrap } from '../../text/unwrap.js'

/** The member of every document that is ours, whoever wrote the rest. */
export const ownMember = '_catalog'

/** Reads one field by any of its names; undefined: the document has none of them. */
type Reader<T extends RecordType> = (field: keyof FieldNames[T]) => unknown

/**
 * What a document means as a stored record: the fields under their own names, in their own types, and whatever else it
 * holds. A field that need not be known and cannot be understood is not known: a slip of a crawler hides no record. One
 * that must be known is left as it is, for the sync to refuse with a reason.
 *
 * Free texts are without e-mail addresses. They are derived at every reading: a stored copy could publish what its
 * writer has changed or hidden since. For 10,000 prompts of 8 KB that takes about 1 % of the time of their export.
 *
 * @param document as read; it may have been written by anyone
 */
export function documentToStored(type: RecordType, document: Document, names: FieldNames): Record<string, unknown> {
  const { _id: identity, [ownMember]: own, ...rest } = document
  // A stored record says it by its state alone.
  for (const name of names[type].hidden) {
    delete rest[name]
  }
  const readers: { [T in RecordType]: () => Record<string, unknown> } = {
    skills: () => skillFields(readerOf(document, names.skills), identity),
    prompts: () => promptFields(readerOf(document, names.prompts), identity),
    organizations: () => organizationFields(readerOf(document, names.organizations), identity),
  }
  const stored = { ...rest, ...readers[type]() }
  return type === 'skills' ? { ...stored, indexedAt: time(own?.changedAt) ?? null } : stored
}

/**
 * What a document means as a stored record that is to be seen; null: it is not. A document that was found as a published
 * one need not be one any more: its writer may have hidden it since it was taken in, or while it was read.
 */
export function documentToPublished(
  type: RecordType,
  document: Document,
  names: FieldNames,
): Record<string, unknown> | null {
  const stored = documentToStored(type, document, names)
  return stored['state'] === 'published' ? stored : null
}

function readerOf<Field extends string>(document: Document, names: Record<Field, readonly string[]>) {
  return (field: Field): unknown =>
    names[field].map((name) => document[name]).find((value) => value !== undefined && value !== null)
}

function skillFields(read: Reader<'skills'>, identity: unknown): Record<string, unknown> {
  const [wholeOwner, wholeRepo] = splitFullName(read('fullName') ?? identity)
  const owner = unwrap(read('owner'), ['login', 'name']) ?? wholeOwner
  const repo = read('repo') ?? wholeRepo ?? (owner === undefined ? undefined : read('name'))
  return {
    id: typeof owner === 'string' && typeof repo === 'string' ? skillId(owner, repo) : inText(identity),
    owner,
    repo,
    name: line(read('name')) ?? repo,
    description: text(read('description')),
    topics: topics(read('topics')),
    license: license(read('license')),
    language: line(unwrap(read('language'), ['name']), 100),
    homepage: toPublicAddress(read('homepage')),
    url: toPublicAddress(read('url')),
    stars: count(read('stars')),
    forks: count(read('forks')),
    version: line(read('version'), 100),
    archived: flag(read('archived')),
    createdAt: time(read('createdAt')),
    updatedAt: time(read('updatedAt')),
    publishedAt: time(read('publishedAt')),
    formerIds: formerIds(read('formerIds')),
    ...lifecycle(read),
  }
}

function promptFields(read: Reader<'prompts'>, identity: unknown): Record<string, unknown> {
  const content = read('content')
  return {
    id: publicPromptId(inText(read('id') ?? identity)),
    title: line(read('title'), 300) ?? undefined,
    description: text(read('description')),
    // One that is too long is left as it is, for the sync to reject.
    content: typeof content === 'string' && content.length <= longestContent ? wholeText(content) : content,
    type: line(read('type'), longestType) ?? 'text',
    topics: topics(read('topics')),
    author: findHandle([read('author')]),
    url: toPublicAddress(read('url')),
    license: license(read('license')),
    createdAt: time(read('createdAt')),
    updatedAt: time(read('updatedAt')),
    ...lifecycle(read),
  }
}

function organizationFields(read: Reader<'organizations'>, identity: unknown): Record<string, unknown> {
  return {
    login: inText(read('login') ?? identity).toLowerCase(),
    name: line(read('name'), 300),
    description: text(read('description')),
    url: toPublicAddress(read('url')),
    avatarUrl: toPublicAddress(read('avatarUrl')),
    createdAt: time(read('createdAt')),
    updatedAt: time(read('updatedAt')),
    ...lifecycle(read),
  }
}

/** A state that is none of ours is left as it is: what its writer wants hidden must not be shown by mistake. */
function lifecycle(read: (field: 'state' | 'hidden' | 'removed' | 'removedAt' | 'updatedAt') => unknown) {
  const state = read('state') ?? 'published'
  if (state === 'removed' || flag(read('removed'))) {
    return { state: 'removed', removedAt: time(read('removedAt')) ?? time(read('updatedAt')) }
  }
  return { state: flag(read('hidden')) ? 'hidden' : state, removedAt: null }
}

const splitFullName = (value: unknown): [owner?: string, repo?: string] => {
  const parts = typeof value === 'string' ? value.split('/') : []
  return parts.length === 2 ? [parts[0] ?? '', parts[1] ?? ''] : []
}

const line = (value: unknown, mostCharacters = longestLine): string | null => {
  const told = typeof value === 'number' ? String(value) : value
  const cleaned = typeof told === 'string' ? cleanLine(told) : null
  return cleaned === null ? null : removeAddresses(cleaned, mostCharacters)
}

const wholeText = (value: string): string | null => {
  const cleaned = cleanText(value)
  return cleaned === null ? null : removeAddresses(cleaned)
}

const text = (value: unknown): string | null => {
  const cleaned = typeof value === 'string' ? cleanText(value) : null
  return cleaned === null ? null : removeAddresses(cleaned, longestDescription)
}

/** GitHub's word for a licence that it could not recognise says nothing. */
const license = (value: unknown): string | null => {
  const name = line(unwrap(value, ['spdx_id', 'spdxId', 'key', 'name']))
  return name === null || /^(noassertion|none|null)$/i.test(name) ? null : name
}

function count(value: unknown): number | null {
  const told = typeof value === 'string' && /^\s*\d{1,15}\s*$/.test(value) ? Number(value) : value
  return typeof told === 'number' && Number.isSafeInteger(told) && told >= 0 ? told : null
}

const flag = (value: unknown): boolean => value === true || /^(true|yes|y|1)$/i.test(inText(value).trim())

function time(value: unknown): string | null {
  if (value instanceof Date) {
    return Number.isNaN(value.getTime()) ? null : value.toISOString()
  }
  return typeof value === 'string' || typeof value === 'number' ? parseTime(value) : null
}

function topic(value: unknown): string | null {
  const cleaned = typeof value === 'string' || typeof value === 'number' ? cleanLine(String(value)) : null
  return cleaned === null || holdsAddress(cleaned) ? null : shorten(cleaned, longestTopic).toLowerCase()
}

function topics(value: unknown): string[] {
  const told = typeof value === 'string' ? splitList(value) : value
  const words = (Array.isArray(told) ? told : []).flatMap((each) => topic(unwrap(each, ['name'])) ?? [])
  return [...new Set(words)].slice(0, mostTopics)
}

function formerIds(value: unknown): string[] {
  const told = (Array.isArray(value) ? value : []).filter((each) => typeof each === 'string')
  return told.filter((each) => each.split('/').every((part) => PathSegment.safeParse(part).success))
}
