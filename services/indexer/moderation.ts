import { repositoryOf, splitSkillName } from '../../shared/fields/web-address.js'
import type { Catalog } from '../../shared/ports/catalog.js'
import type { RecordState } from '../../shared/records/fields.js'
import type { RecordType } from '../../shared/records/records.js'
import { type StoredSkill, skillId } from '../../shared/records/skill.js'
import { dayOf, trendOf } from '../../shared/records/star-history.js'
import { AppError } from '../../shared/runtime/errors.js'
import { parseUrl } from '../../shared/text/parse-url.js'

import { recordHistory } from './jobs/record-history.js'
import { withLock } from './runner/wait-for-lock.js'

/** What an operator does with single records, and the state that it gives them. */
export const moderationStates = { hide: 'hidden', unhide: 'published', remove: 'removed' } as const satisfies Record<
  string,
  RecordState
>

/** The catalog, for an operator's changes of single records. */
export type ModeratedCatalog = Pick<
  Catalog,
  'setStates' | 'put' | 'findStored' | 'nearMatches' | 'readHistories' | 'writeHistories' | 'lock'
>

/** The maximum wait for the job of the star histories. */
const lockTimeoutMs = 10_000

/** Near matches of an unknown id that are named. */
const maxSuggestions = 3

/**
 * Gives records a state, and changes nothing else of them.
 *
 * @returns the ids whose state has changed; the others had it already
 * @throws AppError `record_unknown` (404) when one of the ids is unknown: nothing is changed
 */
export async function setState(
  catalog: ModeratedCatalog,
  type: RecordType,
  ids: string[],
  state: RecordState,
): Promise<string[]> {
  const wanted = [...new Set(ids.map((id) => id.toLowerCase()))]
  const found = new Set((await catalog.findStored(type, wanted)).map(({ id }) => id))
  for (const id of wanted.filter((each) => !found.has(each))) {
    throw await unknownRecord(catalog, type, id)
  }
  const { changed } = await catalog.setStates(
    type,
    wanted.map((id) => ({ id, state, removedAt: null })),
  )
  return changed
}

/**
 * Gives a skill another owner or repository name. Requests for the present id are redirected; its record stays, hidden, so
 * that a crawler that still knows it does not publish it again. The history of its stars goes with it.
 *
 * @param name the new `owner/repo` or `owner/repo@skill`, as it is to be written
 * @throws AppError `record_unknown` (404), `bad_arguments` (400), `id_taken` (409)
 */
export async function renameSkill(
  catalog: ModeratedCatalog,
  id: string,
  name: string,
  { now, signal }: { now: Date; signal: AbortSignal },
): Promise<string> {
  const target = splitSkillName(name)
  if (target === null) {
    throw new AppError(
      400,
      'bad_arguments',
      `${name} is not the id of a skill, which looks like owner/repo or owner/repo@skill.`,
    )
  }
  const [from, to] = [id.toLowerCase(), skillId(target.owner, target.repo, target.skill)]
  const stored = await findSkills(catalog, [from, to])
  const skill = stored.get(from)
  const taken = stored.get(to)
  if (skill === undefined) {
    throw await unknownRecord(catalog, 'skills', from)
  }
  // What an earlier rename has left may be taken back.
  if (from !== to && taken !== undefined && taken.state !== 'removed' && !skill.formerIds.includes(to)) {
    throw new AppError(
      409,
      'id_taken',
      `${to} is the id of another skill, which is ${taken.state}. Remove that one first: catalog remove ${to}`,
    )
  }
  const repository = skill.url !== null && parseUrl(skill.url) !== null ? repositoryOf(skill.url) : null
  const isOwnAddress = repository !== null && skillId(repository.owner, repository.repo, skill.skill) === from
  const renamed: StoredSkill = {
    ...skill,
    ...target,
    id: to,
    name: skill.name === (skill.skill ?? skill.repo) ? (target.skill ?? target.repo) : skill.name,
    url: isOwnAddress ? new URL(`/${target.owner}/${target.repo}`, skill.url ?? undefined).href : skill.url,
    formerIds: from === to ? skill.formerIds : [...new Set([...skill.formerIds, from])].filter((each) => each !== to),
  }
  // The job of the histories must not write one of them meanwhile.
  await withLock({ catalog, signal }, recordHistory.name, lockTimeoutMs, async (lock) => {
    await catalog.put('skills', [renamed])
    if (from !== to) {
      const [history] = await catalog.readHistories([from])
      const histories = history === undefined ? [] : [{ ...history, id: to, trend: trendOf(history.days, dayOf(now)) }]
      await catalog.writeHistories(histories, lock)
      await catalog.setStates('skills', [{ id: from, state: 'hidden', removedAt: null }])
    }
  })
  return to
}

/** The stored skills of these ids. */
export async function findSkills(
  catalog: Pick<Catalog, 'findStored'>,
  ids: string[],
): Promise<Map<string, StoredSkill>> {
  const found = await catalog.findStored('skills', ids)
  return new Map(found.map(({ id, stored }) => [id, stored as StoredSkill]))
}

async function unknownRecord(catalog: Pick<Catalog, 'nearMatches'>, type: RecordType, id: string): Promise<AppError> {
  const similar = type === 'skills' ? await catalog.nearMatches(id, maxSuggestions).catch(() => []) : []
  const rest = similar.length === 0 ? '' : ` Similar: ${similar.join(', ')}.`
  return new AppError(404, 'record_unknown', `The catalog has no ${nouns[type]} ${id}.${rest}`)
}

const nouns: Record<RecordType, string> = { skills: 'skill', prompts: 'prompt', organizations: 'organization' }
