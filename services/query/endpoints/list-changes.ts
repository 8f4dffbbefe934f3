import { z } from 'zod'
import { unavailable } from '../../../shared/errors.js'
import type { LoggedChange } from '../../../shared/ports/change-log.js'
import { Timestamp } from '../../../shared/records/fields.js'
import { Skill } from '../../../shared/records/skill.js'
import { canContinue, readChangePosition, writeChangePosition } from '../change-position.js'
import { type EndpointDeps, endpoint, pathWithQuery } from '../endpoint.js'
import { changesGone } from '../errors.js'
import { WholeNumber } from '../parameters.js'

const path = '/api/v1/changes'

const retryAfterSeconds = 5

const Change = z
  .object({
    sequence: z.int().describe('its place in the order of all changes'),
    id: Skill.shape.id,
    change: z
      .enum(['published', 'removed'])
      .describe('`published`: is there, new or changed; `removed`: is there no more, whatever the reason'),
    changedAt: Timestamp.describe('when the change was taken in; ISO-8601 UTC with milliseconds'),
    skill: Skill.nullable().describe('as it is now; null when it was removed'),
  })
  .meta({ id: 'Change', description: 'The latest change of one skill.' })
type Change = z.infer<typeof Change>

/** GET /api/v1/changes: every change of a skill in order, for those who keep a copy. */
export const listChanges = endpoint({
  name: 'list-changes',
  path,
  summary: 'What changed, in order',
  docs: {
    tag: 'Catalog',
    description:
      'For keeping a copy. Every skill has one entry, its latest change; when it changes again, the entry moves to the ' +
      'end. Put what is published into your copy, delete what is removed, keep `nextSince`, and ask with it again: at ' +
      'once while `more` is true, else every few seconds. Whoever does so has what is published here.\n\n' +
      'Without `since` it begins at the start, with everything that is published. Removals are told for 90 days unless ' +
      'configured otherwise; who comes later is answered with 410 and starts again.',
    errors: ['changes_gone', 'changes_not_ready', 'catalog_unavailable'],
  },
  params: z.object({}),
  query: z.object({
    since: WholeNumber(0, Number.MAX_SAFE_INTEGER)
      .default(0)
      .describe('`nextSince` of the answer before, just as given; 0: from the start'),
    limit: WholeNumber(1, 1_000).default(100).describe('changes of one answer, 1 to 1000'),
  }),
  response: z.object({
    data: z.array(Change),
    pagination: z.object({
      limit: z.int(),
      nextSince: z.int().describe('where to go on, also when there is nothing more yet. It grows, and has gaps'),
      more: z.boolean().describe('whether there is more already'),
    }),
  }),
  limits: ['default'],
  cache: { maxAgeSeconds: 2 },

  async handle({ query, given }, { catalog, changes, clock }) {
    const { since, limit } = query
    const position = readChangePosition(since, clock())
    const { changes: logged, head, horizon, complete } = await changes.after(position.sequence, limit)
    if (!complete) {
      throw unavailable(
        'changes_not_ready',
        `The changes are being logged for the first time. Try again in ${retryAfterSeconds} s.`,
        retryAfterSeconds,
      )
    }
    if (since !== 0 && !canContinue(position, { head, horizon })) {
      throw changesGone(since)
    }
    const last = logged.at(-1)
    const more = logged.length === limit && last !== undefined && last.sequence < head
    const reached = { ...position, sequence: more ? last.sequence : head }
    const nextSince = writeChangePosition(reached, horizon)
    return {
      body: { data: await withSkills(logged, catalog), pagination: { limit, nextSince, more } },
      links: more ? [{ rel: 'next', target: pathWithQuery(path, given, { since: String(nextSince) }) }] : [],
    }
  },
})

/** One that has ceased to be published since it was logged is left out: the entry that says so comes later. */
async function withSkills(logged: LoggedChange[], catalog: EndpointDeps['catalog']): Promise<Change[]> {
  const published = logged.filter(({ contentHash }) => contentHash !== null).map(({ id }) => id)
  const found = published.length === 0 ? [] : await catalog.findSkills(published)
  const skills = new Map(found.flatMap((each) => (each.state === 'published' ? [[each.skill.id, each.skill]] : [])))
  return logged.flatMap(({ sequence, id, contentHash, changedAt }): Change[] => {
    if (contentHash === null) {
      return [{ sequence, id, change: 'removed', changedAt, skill: null }]
    }
    const skill = skills.get(id)
    return skill === undefined ? [] : [{ sequence, id, change: 'published', changedAt, skill }]
  })
}
