import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { FieldError } from '../../shared/errors.js'
import type { ListPosition, SkillFilters, SkillSort } from '../../shared/ports/catalog-store.js'

/** What a walk is bound to: a position in one order of one selection means nothing in another. */
export interface WalkScope {
  sort: SkillSort
  order: 'asc' | 'desc'
  filters: SkillFilters
}

/** Where a walk goes on, or why the cursor was refused. */
export type DecodedCursor = { position: ListPosition; error?: never } | { error: FieldError }

/** What a cursor holds. The names are short since it travels in addresses. */
const Content = z.tuple([
  z.literal(1).describe('version of this format'),
  z.string().describe('fingerprint of the scope'),
  z.union([z.string(), z.number(), z.null()]).describe('position: value'),
  z.string().describe('position: id'),
])

const checksumLength = 8

const digest = (text: string, length: number): string =>
  createHash('sha256').update(text).digest('base64url').slice(0, length)

/** Equal for scopes that mean the same: filters in any order and any case. */
function fingerprint({ sort, order, filters }: WalkScope): string {
  const given = Object.entries({ ...filters, topics: [...new Set(filters.topics)].sort() })
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return digest(JSON.stringify([sort, order, given]).toLowerCase(), 12)
}

/** The text of a cursor that continues behind `position`. */
export function encodeCursor(scope: WalkScope, position: ListPosition): string {
  const content: z.infer<typeof Content> = [1, fingerprint(scope), position.value, position.id]
  const encoded = Buffer.from(JSON.stringify(content)).toString('base64url')
  return `${encoded}${digest(encoded, checksumLength)}`
}

/**
 * What a cursor holds, or what is wrong with it by itself. The checksum finds damage; it is no secret, since a made-up
 * position only shows what anybody may see.
 */
function readCursor(
  cursor: string,
): { content: z.infer<typeof Content>; fault?: never } | { content?: never; fault: string } {
  const encoded = cursor.slice(0, -checksumLength)
  if (digest(encoded, checksumLength) !== cursor.slice(-checksumLength)) {
    return {
      fault: 'is damaged or not one of ours: use nextCursor exactly as given, or leave it out to start again.',
    }
  }
  const content = Content.safeParse(parseJson(Buffer.from(encoded, 'base64url').toString()))
  return content.success
    ? { content: content.data }
    : { fault: 'is of another version of this service: leave it out to start again.' }
}

/** `cursor=`: the text of a cursor that is whole. Whether it belongs to the walk at hand, `decodeCursor` tells. */
export const CursorText = z.string().superRefine((text, context) => {
  const { fault } = readCursor(text)
  if (fault !== undefined) {
    context.addIssue(fault)
  }
})

/** Where a cursor continues in this scope, or why it cannot be used. */
export function decodeCursor(cursor: string, scope: WalkScope): DecodedCursor {
  const refused = (message: string) => ({ error: { parameter: 'cursor', message } })
  const { content, fault } = readCursor(cursor)
  if (fault !== undefined) {
    return refused(fault)
  }
  const [, boundTo, value, id] = content
  if (boundTo !== fingerprint(scope)) {
    return refused('belongs to another sort, order or filter: keep those as they were, or leave the cursor out.')
  }
  return { position: { value, id } }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
