import { createHash } from 'node:crypto'
import { z } from 'zod'
import { sequenceStep } from '../../../shared/ports/change-log.js'
import type { Distinctness, ListPosition, ListSort, SkillFilters } from '../../../shared/ports/skill-reader.js'
import type { FieldError } from '../../../shared/runtime/errors.js'

/** The order and filters that a cursor belongs to: its position means nothing in another list. */
export interface ListScope extends Distinctness {
  sort: ListSort
  order: 'asc' | 'desc'
  filters: SkillFilters
}

/** The position to continue after, or why the cursor was refused. */
export type DecodedCursor = { position: ListPosition; error?: never } | { error: FieldError }

/** The content of a cursor; an array without names, since it is sent in URLs. */
const Content = z.tuple([
  z.literal(1).describe('version of this format'),
  z.string().describe('fingerprint of the scope'),
  z.union([z.string(), z.number(), z.null()]).describe('position: value'),
  z.string().describe('position: id'),
  z.number().nullable().optional().describe('position: stars'),
])

const checksumLength = 8

const digest = (text: string, length: number): string =>
  createHash('sha256').update(text).digest('base64url').slice(0, length)

/** Equal for equivalent scopes: filters in any order and any case. */
function fingerprint({ sort, order, filters, distinct }: ListScope): string {
  const given = Object.entries({ ...filters, topics: [...new Set(filters.topics)].sort() })
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return digest(JSON.stringify([sort, order, given, ...(distinct === undefined ? [] : [distinct])]).toLowerCase(), 12)
}

/** Encodes a cursor that continues after `position`. */
export function encodeCursor(scope: ListScope, { value, id, stars }: ListPosition): string {
  const position: z.infer<typeof Content> = [1, fingerprint(scope), value, id]
  const content = stars === undefined ? position : [...position, stars]
  const encoded = Buffer.from(JSON.stringify(content)).toString('base64url')
  return `${encoded}${digest(encoded, checksumLength)}`
}

/**
 * Decodes a cursor and checks it on its own. The checksum detects damage; it is no signature, since a forged position
 * only shows public data.
 */
function readCursor(
  cursor: string,
): { content: z.infer<typeof Content>; fault?: never } | { content?: never; fault: string } {
  const encoded = cursor.slice(0, -checksumLength)
  if (digest(encoded, checksumLength) !== cursor.slice(-checksumLength)) {
    return {
      fault: 'is damaged or not a cursor of this service: use nextCursor unchanged, or omit it to start again.',
    }
  }
  const content = Content.safeParse(parseJson(Buffer.from(encoded, 'base64url').toString()))
  return content.success ? { content: content.data } : { fault: ofAnotherVersion }
}

const ofAnotherVersion = 'is of another version of this service: omit it to start again.'

/** `cursor=`: an intact cursor. `decodeCursor` checks whether it belongs to the requested list. */
export const CursorText = z.string().superRefine((text, context) => {
  const { fault } = readCursor(text)
  if (fault !== undefined) {
    context.addIssue(fault)
  }
})

/** The position at which a cursor continues in this scope, or why it cannot be used. */
export function decodeCursor(cursor: string, scope: ListScope): DecodedCursor {
  const refused = (message: string) => ({ error: { parameter: 'cursor', message } })
  const { content, fault } = readCursor(cursor)
  if (fault !== undefined) {
    return refused(fault)
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

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

const dayMs = 86_400_000

/** Number of days that a position can distinguish: the numbers between two sequences. */
const days = sequenceStep - 1

/**
 * A client's position in the change log.
 *
 * A client that read up to a sequence must start again once removals after it were dropped. A client that reads from
 * the start passes the same sequences, but misses nothing. So positions of a read from the start are marked: the number
 * lies between two sequences, and its offset encodes the day on which the read began.
 */
export interface ChangePosition {
  /** The client has read every change up to this sequence. */
  sequence: number
  /** For a read from the start: the beginning of the day on which it began, epoch milliseconds; else null. */
  readStartedMs: number | null
}

/**
 * Decodes the number that a client sends.
 *
 * @param nowMs epoch milliseconds: a mark means the latest day with its offset, so that a read from the start may
 * pause for more than two years
 */
export function readChangePosition(since: number, nowMs: number): ChangePosition {
  const mark = since % sequenceStep
  const sequence = since - mark
  if (mark === 0 && since !== 0) {
    return { sequence, readStartedMs: null }
  }
  const today = Math.floor(nowMs / dayMs)
  const day = mark === 0 ? today : today - ((((today - (mark - 1)) % days) + days) % days)
  return { sequence, readStartedMs: day * dayMs }
}

/**
 * Encodes a position as the number to continue with.
 *
 * @param horizon see `ChangeLog.after`: from there on a read from the start needs no mark
 */
export function writeChangePosition({ sequence, readStartedMs }: ChangePosition, horizon: number): number {
  return readStartedMs === null || sequence >= horizon ? sequence : sequence + ((readStartedMs / dayMs) % days) + 1
}

/** Whether the log still has every change after the position. */
export function canContinue(
  { sequence, readStartedMs }: ChangePosition,
  { head, horizon }: { head: number; horizon: number },
): boolean {
  if (sequence > head) {
    return false
  }
  // The client may hold a skill that was removed since its read began, with the removal dropped.
  return sequence >= horizon || (readStartedMs !== null && horizon <= readStartedMs * sequenceStep)
}
