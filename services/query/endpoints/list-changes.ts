import { z } from 'zod'
import { type LoggedChange, sequenceStep } from '../../../shared/ports/change-log.js'
import { SkillSchema, Timestamp } from '../../../shared/records/schemas.js'
import { skillOf } from '../../../shared/records/skill.js'
import { tryAgain } from '../../../shared/runtime/errors.js'
import { type EndpointDeps, endpoint, pathWithQuery } from '../request/endpoint.js'
import { WholeNumber } from '../request/parameters.js'
import { problemError } from '../request/problems.js'

const path = '/api/v1/changes'

const Change = z
  .object({
    sequence: z.int().describe('the sequence number of the change; changes are in this order'),
    id: SkillSchema.shape.id,
    change: z
      .enum(['published', 'removed'])
      .describe(
        '`published`: the skill is new or has changed; `removed`: the skill is no longer published, for any reason',
      ),
    changedAt: Timestamp.describe('when the change was ingested; ISO-8601 UTC with milliseconds'),
    skill: SkillSchema.nullable().describe('the skill as it is now; null when it was removed'),
  })
  .meta({ id: 'Change', description: 'The latest change of one skill.' })
type Change = z.infer<typeof Change>

/** GET /api/v1/changes: the changes of skills in order, for clients that keep a copy. */
export const listChanges = endpoint({
  name: 'list-changes',
  path,
  summary: 'The changes of skills, in order',
  docs: {
    tag: 'Catalog',
    description:
      'For clients that keep a copy. Every skill has one entry, its latest change; when it changes again, the entry ' +
      'moves to the end. Store every published skill, delete every removed one, keep `nextSince`, and send it as `since` ' +
      'of the next request: at once while `more` is true, else every few seconds. The copy then holds the published ' +
      'skills.\n\nWithout `since` the changes start with every published skill. Removals are kept for 90 days unless ' +
      'configured otherwise; an older `since` is answered with 410, and the client starts again.',
    errors: ['changes_gone', 'changes_not_ready', 'catalog_unavailable'],
  },
  query: z.object({
    since: WholeNumber(0, Number.MAX_SAFE_INTEGER)
      .default(0)
      .describe('`nextSince` of the previous response, unchanged; 0: from the start'),
    limit: WholeNumber(1, 1_000).default(100).describe('changes per response, 1 to 1000'),
  }),
  response: z.object({
    data: z.array(Change),
    pagination: z.object({
      limit: z.int(),
      nextSince: z
        .int()
        .describe('the `since` of the next request, also when there are no more changes yet. It increases, with gaps'),
      more: z.boolean().describe('whether more changes are available now'),
    }),
    catalog: z
      .string()
      .nullable()
      .describe(
        'which catalog these are the changes of. When it differs from that of your copy, another catalog answers at this ' +
          'address: do not remove from your copy what this one lacks. Null: not known',
      ),
  }),
  cache: { maxAgeSeconds: 2 },

  async handle({ query, given }, { catalog, changes, clock }) {
    const { since, limit } = query
    const position = readChangePosition(since, clock())
    const { changes: logged, head, horizon, complete, catalog: source } = await changes.after(position.sequence, limit)
    if (!complete) {
      throw tryAgain('changes_not_ready', 'The changes are being logged for the first time.', 5)
    }
    if (since !== 0 && !canContinue(position, { head, horizon })) {
      throw problemError(
        'changes_gone',
        `The changes after ${since} are not kept any more. Start again: with the files of /api/v1/exports and their ` +
          'changesSince, or with /api/v1/changes without since. Delete skills of your copy that are not listed there.',
      )
    }
    const last = logged.at(-1)
    const more = logged.length === limit && last !== undefined && last.sequence < head
    const reached = { ...position, sequence: more ? last.sequence : head }
    const nextSince = writeChangePosition(reached, horizon)
    return {
      body: { data: await withSkills(logged, catalog), pagination: { limit, nextSince, more }, catalog: source },
      links: more ? [{ rel: 'next', target: pathWithQuery(path, given, { since: String(nextSince) }) }] : [],
    }
  },
})

/** A skill that is no longer published is omitted: the log lists its removal later. */
async function withSkills(logged: LoggedChange[], catalog: EndpointDeps['catalog']): Promise<Change[]> {
  const published = logged.filter(({ contentHash }) => contentHash !== null).map(({ id }) => id)
  const found = published.length === 0 ? [] : await catalog.findSkills(published)
  const present = found.flatMap((each) => (each.state === 'published' ? skillOf(each) : []))
  const skills = new Map(present.map((skill) => [skill.id, skill]))
  return logged.flatMap(({ sequence, id, contentHash, changedAt }): Change[] => {
    if (contentHash === null) {
      return [{ sequence, id, change: 'removed', changedAt, skill: null }]
    }
    const skill = skills.get(id)
    return skill === undefined ? [] : [{ sequence, id, change: 'published', changedAt, skill }]
  })
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
