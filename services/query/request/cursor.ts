import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { SkillFilters } from '../../../shared/ports/filter-table.js'
import type { Distinctness, ListPosition, ListSort } from '../../../shared/ports/skill-reader.js'
import type { FieldError } from '../../../shared/runtime/errors.js'
import { parseJson } from '../../../shared/runtime/http-answers.js'

/** The order and filters that a cursor belongs to: its position means nothing in another list. */
export interface ListScope extends Distinctness {
  sort: ListSort
  order: 'asc' | 'desc'
  filters: SkillFilters
}

/** The content of a cursor; an array without names, since it is sent in URLs. */
const Content = z.tuple([
  z.literal(1).describe('version of this format'),
  z.string().describe('fingerprint of the scope'),
  z.union([z.string(), z.number(), z.null()]).describe('position: value'),
  z.string().describe('position: id'),
  z.number().nullable().optional().describe('position: stars'),
])
type Content = z.infer<typeof Content>

const checksumLength = 8

const digest = (text: string, length: number): string =>
  createHash('sha256').update(text).digest('base64url').slice(0, length)

/** Equal for equivalent scopes: filters in any order and any case. */
function fingerprint({ sort, order, filters, distinct }: ListScope): string {
  // Also without topics there is a list of them: cursors of earlier versions stay valid.
  const given = Object.entries({ topics: [], ...filters })
    .map(([name, value]) => [name, Array.isArray(value) ? [...new Set(value)].sort() : value] as const)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return digest(JSON.stringify([sort, order, given, ...(distinct === undefined ? [] : [distinct])]).toLowerCase(), 12)
}

/** Encodes a cursor that continues after `position`. */
export function encodeCursor(scope: ListScope, { value, id, stars }: ListPosition): string {
  const position: Content = [1, fingerprint(scope), value, id]
  const content = stars === undefined ? position : [...position, stars]
  const encoded = Buffer.from(JSON.stringify(content)).toString('base64url')
  return `${encoded}${digest(encoded, checksumLength)}`
}

/**
 * Decodes a cursor and checks it on its own. The checksum detects damage; it is no signature, since a forged position
 * only shows public data.
 *
 * @returns its content, or a text: what is wrong with it
 */
function readCursor(cursor: string): Content | string {
  const encoded = cursor.slice(0, -checksumLength)
  if (digest(encoded, checksumLength) !== cursor.slice(-checksumLength)) {
    return 'is damaged or not a cursor of this service: use nextCursor unchanged, or omit it to start again.'
  }
  return Content.safeParse(parseJson(Buffer.from(encoded, 'base64url').toString())).data ?? ofAnotherVersion
}

const ofAnotherVersion = 'is of another version of this service: omit it to start again.'

/** `cursor=`: an intact cursor. `decodeCursor` checks whether it belongs to the requested list. */
export const CursorText = z.string().superRefine((text, context) => {
  const content = readCursor(text)
  if (typeof content === 'string') {
    context.addIssue(content)
  }
})

/** The position at which a cursor continues in this scope, or why it cannot be used. */
export function decodeCursor(
  cursor: string,
  scope: ListScope,
): { position: ListPosition; error?: never } | { error: FieldError } {
  const refused = (message: string) => ({ error: { parameter: 'cursor', message } })
  const content = readCursor(cursor)
  if (typeof content === 'string') {
    return refused(content)
  }
  const [, boundTo, value, id, stars] = content
  if (boundTo !== fingerprint(scope)) {
    return refused('belongs to another sort, order, filter or distinct: keep those unchanged, or omit the cursor.')
  }
  if (scope.sort === 'trending' && value === null && stars === undefined) {
    return refused(ofAnotherVersion)
  }
  return { position: { value, id, ...(stars === undefined ? {} : { stars }) } }
}
