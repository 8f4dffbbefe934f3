import type { Document } from 'mongodb'
import type { FieldNames } from '../../document-settings.js'
import { WebAddress } from '../../records/fields.js'
import type { RecordType } from '../../records/records.js'
import { skillId } from '../../records/skill.js'
import { parseTime } from '../../text/parse-time.js'

/** The member of every document that is ours, whoever wrote the rest. */
export const ownMember = '_catalog'

/** Reads one field by any of its names; undefined: the document has none of them. */
type Reader<T extends RecordType> = (field: keyof FieldNames[T]) => unknown

/**
 * What a document means as a stored record: the fields under their own names, in their own types as far as that can be
 * told, and whatever else it holds. What makes no sense is left as it is, for the sync to refuse with a reason.
 *
 * @param document as read; it may have been written by anyone
 */
export function documentToStored(type: RecordType, document: Document, names: FieldNames): Record<string, unknown> {
  const { _id: identity, [ownMember]: own, ...rest } = document
  const readers: { [T in RecordType]: () => Record<string, unknown> } = {
    skills: () => skillFields(readerOf(document, names.skills), identity),
    prompts: () => promptFields(readerOf(document, names.prompts), identity),
    organizations: () => organizationFields(readerOf(document, names.organizations), identity),
  }
  const stored = { ...rest, ...readers[type]() }
  return type === 'skills' ? { ...stored, indexedAt: time(own?.changedAt) ?? null } : stored
}

function readerOf<Field extends string>(document: Document, names: Record<Field, readonly string[]>) {
  return (field: Field): unknown =>
    names[field].map((name) => document[name]).find((value) => value !== undefined && value !== null)
}

function skillFields(read: Reader<'skills'>, identity: unknown): Record<string, unknown> {
  const [wholeOwner, wholeRepo] = splitFullName(read('fullName') ?? identity)
  const owner = member(read('owner'), ['login', 'name']) ?? wholeOwner
  const repo = read('repo') ?? wholeRepo ?? (owner === undefined ? undefined : read('name'))
  return {
    id: typeof owner === 'string' && typeof repo === 'string' ? skillId(owner, repo) : String(identity),
    owner,
    repo,
    name: line(read('name')) ?? repo,
    description: read('description') ?? null,
    topics: topics(read('topics')),
    license: line(member(read('license'), ['spdx_id', 'spdxId', 'key', 'name'])),
    language: line(member(read('language'), ['name'])),
    homepage: address(read('homepage')),
    url: address(read('url')),
    stars: count(read('stars')),
    forks: count(read('forks')),
    version: line(read('version')),
    archived: flag(read('archived')),
    createdAt: time(read('createdAt')),
    updatedAt: time(read('updatedAt')),
    publishedAt: time(read('publishedAt')),
    formerIds: read('formerIds') ?? [],
    ...lifecycle(read),
  }
}

function promptFields(read: Reader<'prompts'>, identity: unknown): Record<string, unknown> {
  const author = member(read('author'), ['login', 'name'])
  return {
    id: String(read('id') ?? identity).toLowerCase(),
    title: read('title'),
    description: read('description') ?? null,
    content: read('content'),
    type: line(read('type')) ?? 'text',
    topics: topics(read('topics')),
    // An e-mail address is never shown, and never taken for a name.
    author: typeof author === 'string' && /[\s@]/.test(author) ? null : line(author),
    url: address(read('url')),
    license: line(member(read('license'), ['spdx_id', 'spdxId', 'key', 'name'])),
    createdAt: time(read('createdAt')),
    updatedAt: time(read('updatedAt')),
    ...lifecycle(read),
  }
}

function organizationFields(read: Reader<'organizations'>, identity: unknown): Record<string, unknown> {
  return {
    login: String(read('login') ?? identity).toLowerCase(),
    name: line(read('name')),
    description: read('description') ?? null,
    url: address(read('url')),
    avatarUrl: address(read('avatarUrl')),
    createdAt: time(read('createdAt')),
    updatedAt: time(read('updatedAt')),
    ...lifecycle(read),
  }
}

function lifecycle(read: (field: 'state' | 'hidden' | 'removed' | 'removedAt' | 'updatedAt') => unknown) {
  const state = read('state') ?? 'published'
  if (state === 'removed' || flag(read('removed')) === true) {
    return { state: 'removed', removedAt: time(read('removedAt')) ?? time(read('updatedAt')) }
  }
  return { state: flag(read('hidden')) === true ? 'hidden' : state, removedAt: null }
}

const splitFullName = (value: unknown): [owner?: string, repo?: string] => {
  const parts = typeof value === 'string' ? value.split('/') : []
  return parts.length === 2 ? [parts[0] ?? '', parts[1] ?? ''] : []
}

/** A value that some write plainly and others as an object. */
const member = (value: unknown, names: string[]): unknown =>
  typeof value === 'object' && value !== null
    ? names.map((name) => (value as Record<string, unknown>)[name]).find((each) => typeof each === 'string')
    : value

const line = (value: unknown): unknown => (value === undefined || value === '' ? null : value)

const address = (value: unknown): unknown => (WebAddress.safeParse(value).success ? value : null)

const count = (value: unknown): unknown =>
  typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : (value ?? null)

function flag(value: unknown): unknown {
  if (value === undefined || value === 0 || value === 'false') {
    return false
  }
  return value === 1 || value === 'true' ? true : value
}

function time(value: unknown): unknown {
  if (value instanceof Date) {
    return Number.isNaN(value.getTime()) ? null : value.toISOString()
  }
  return typeof value === 'string' || typeof value === 'number' ? (parseTime(value) ?? value) : (value ?? null)
}

function topics(value: unknown): unknown {
  const told = typeof value === 'string' ? value.split(',') : (value ?? [])
  if (!Array.isArray(told) || told.some((topic) => typeof topic !== 'string')) {
    return told
  }
  return [...new Set(told.map((topic: string) => topic.trim().toLowerCase()))]
    .filter((topic) => topic !== '')
    .slice(0, 20)
}
