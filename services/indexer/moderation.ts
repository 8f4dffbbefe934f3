import { repositoryOf, type SkillPlace, splitSkillName } from '../../shared/fields/web-address.js'
import type { Catalog } from '../../shared/ports/catalog.js'
import type { RecordState } from '../../shared/records/fields.js'
import type { RecordType } from '../../shared/records/records.js'
import { givenSkillId, type StoredSkill, skillId } from '../../shared/records/skill.js'
import { dayOf, trendOf } from '../../shared/records/stats.js'
import { AppError } from '../../shared/runtime/errors.js'
import { formatCount } from '../../shared/text/format-numbers.js'
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
  | 'setStates'
  | 'put'
  | 'findStored'
  | 'findSkills'
  | 'idsOfRepository'
  | 'nearMatches'
  | 'readHistories'
  | 'writeHistories'
  | 'readText'
  | 'readFiles'
  | 'keepContents'
  | 'lock'
>

/** The maximum wait for the job of the star histories. */
const lockTimeoutMs = 10_000

/** The number of records that are read and written at a time. */
const batchSize = 500

/** Near matches of an unknown id that are named. */
const maxSuggestions = 3

/**
 * Gives records a state, and changes nothing else of them.
 *
 * @param allSkills the ids are those of repositories: all skills in them are meant, in any state
 * @returns the ids of all of them, and of those whose state has changed; the others had it already
 * @throws AppError `record_unknown` (404) when one of the ids is unknown: nothing is changed
 */
export async function setState(
  catalog: ModeratedCatalog,
  type: RecordType,
  ids: string[],
  state: RecordState,
  allSkills = false,
): Promise<{ ids: string[]; changed: string[] }> {
  const given = [...new Set(ids.map((id) => (type === 'skills' ? givenSkillId(id) : id.toLowerCase())))]
  const wanted = allSkills ? (await Promise.all(given.map((id) => skillsOf(catalog, id)))).flat() : given
  const found = new Set<string>()
  for (const batch of batchesOf(wanted)) {
    const stored = await catalog.findStored(type, batch, 'fields')
    for (const { id } of stored) {
      found.add(id)
    }
  }
  for (const id of wanted.filter((each) => !found.has(each))) {
    throw await unknownRecord(catalog, type, id)
  }
  const changed: string[] = []
  for (const batch of batchesOf(wanted)) {
    const changes = batch.map((id) => ({ id, state, removedAt: null }))
    changed.push(...(await catalog.setStates(type, changes)).changed)
  }
  return { ids: wanted, changed }
}

/**
 * The ids of all skills of a repository, without the records that an earlier rename has left under them.
 *
 * @throws AppError `bad_arguments` (400) for the id of a skill, `record_unknown` (404) for that of an unknown repository
 */
async function skillsOf(catalog: ModeratedCatalog, id: string, withRemoved = true): Promise<string[]> {
  if (id.includes('@')) {
    throw new AppError(400, 'bad_arguments', `${id} is one skill. With --all-skills, give a repository: owner/repo.`)
  }
  const ids: string[] = []
  const all = await catalog.idsOfRepository(id)
  // A lookup knows the former id of a published skill, but not that of a hidden one.
  const former = new Set<string>()
  for (const batch of batchesOf(all)) {
    for (const { formerIds } of (await findSkills(catalog, batch)).values()) {
      for (const formerId of Array.isArray(formerIds) ? formerIds : []) {
        former.add(formerId)
      }
    }
  }
  for (const batch of batchesOf(all)) {
    const found = await catalog.findSkills(batch)
    const isLeft = (each: string, state: string) => state === 'renamed' || (state !== 'published' && former.has(each))
    const isMeant = (each: string, state = 'unknown') => !isLeft(each, state) && (withRemoved || state !== 'removed')
    ids.push(...batch.filter((each, place) => isMeant(each, found[place]?.state)))
  }
  if (ids.length === 0) {
    throw all.length === 0
      ? await unknownRecord(catalog, 'skills', id)
      : new AppError(
          404,
          'record_unknown',
          `The catalog has no skills of ${id} any more: they were renamed or removed.`,
        )
  }
  return ids
}

function* batchesOf<T>(items: T[]): Generator<T[]> {
  for (let start = 0; start < items.length; start += batchSize) {
    yield items.slice(start, start + batchSize)
  }
}

/**
 * Gives a skill another owner, repository or name. Requests for the present id are redirected; its record stays, hidden, so
 * that a crawler that still knows it does not publish it again. The history of its stars, its text and files go with it.
 *
 * @param name the new `owner/repo` or `owner/repo@skill`, as it is to be written
 * @throws AppError `record_unknown` (404), `bad_arguments` (400), `id_taken` (409)
 */
export async function renameSkill(
  catalog: ModeratedCatalog,
  id: string,
  name: string,
  options: RenameOptions,
): Promise<string> {
  const target = targetOf(name)
  await renameAll(catalog, [{ from: givenSkillId(id), target }], options)
  return skillId(target.owner, target.repo, target.skill)
}

/**
 * As `renameSkill`, of all skills of a repository that are not removed; their own names stay.
 *
 * @param id of a repository
 * @param name the new `owner/repo`, as it is to be written
 * @returns the new ids
 * @throws AppError as `renameSkill`: nothing is changed
 */
export async function renameRepository(
  catalog: ModeratedCatalog,
  id: string,
  name: string,
  options: RenameOptions,
): Promise<string[]> {
  const target = targetOf(name)
  if (target.skill !== null) {
    throw new AppError(400, 'bad_arguments', `${name} is one skill. With --all-skills, give a repository: owner/repo.`)
  }
  const renames = (await skillsOf(catalog, id.toLowerCase(), false)).map((from) => ({
    from,
    target: { ...target, skill: from.split('@')[1] ?? null },
  }))
  await renameAll(catalog, renames, options)
  return renames.map(({ target: { owner, repo, skill } }) => skillId(owner, repo, skill))
}

interface RenameOptions {
  now: Date
  signal: AbortSignal
}

interface Rename {
  /** The present id. */
  from: string
  target: SkillPlace
}

interface Renamed {
  /** The former id. */
  from: string
  /** The record under it. */
  left: StoredSkill
  skill: StoredSkill
}

function targetOf(name: string): SkillPlace {
  const target = splitSkillName(name)
  if (target === null) {
    throw new AppError(
      400,
      'bad_arguments',
      `${name} is not the id of a skill, which looks like owner/repo or owner/repo@skill.`,
    )
  }
  return target
}

async function renameAll(catalog: ModeratedCatalog, renames: Rename[], { now, signal }: RenameOptions): Promise<void> {
  const renamed: Renamed[] = []
  for (const batch of batchesOf(renames)) {
    const to = batch.map(({ target: { owner, repo, skill } }) => skillId(owner, repo, skill))
    const stored = await findSkills(catalog, [...new Set([...batch.map(({ from }) => from), ...to])])
    for (const { from, target } of batch) {
      const skill = stored.get(from)
      if (skill === undefined) {
        throw await unknownRecord(catalog, 'skills', from)
      }
      renamed.push({ from, left: skill, skill: renamedSkill(skill, from, target, stored) })
    }
  }
  // The job of the histories must not write one of them meanwhile.
  await withLock({ catalog, signal }, recordHistory.name, lockTimeoutMs, async (lock) => {
    for (const batch of batchesOf(renamed)) {
      // Former names go with the skill: what is left must not seem to be the later one.
      await catalog.put(
        'skills',
        batch.flatMap(({ from, left, skill }) =>
          from === skill.id || left.formerIds.length === 0 ? [skill] : [{ ...left, formerIds: [] }, skill],
        ),
      )
      const moved = new Map(batch.flatMap(({ from, skill }) => (from === skill.id ? [] : [[from, skill.id]])))
      await copyContents(catalog, batch)
      const histories = await catalog.readHistories([...moved.keys()])
      await catalog.writeHistories(
        histories.map(({ id, days }) => ({ id: moved.get(id) ?? id, days, trend: trendOf(days, dayOf(now)) })),
        lock,
      )
      const hidden = [...moved.keys()].map((id) => ({ id, state: 'hidden', removedAt: null }) as const)
      await catalog.setStates('skills', hidden)
    }
  })
}

/** Keeps the texts and files of skills under their new ids as well. */
async function copyContents(catalog: ModeratedCatalog, renamed: Renamed[]): Promise<void> {
  for (const { from, skill } of renamed) {
    const { id, digest } = skill
    const [kept, files] =
      digest === null || from === id
        ? [null, null]
        : [await catalog.readText({ id: from, digest }), await catalog.readFiles({ id: from, digest })]
    if (digest !== null && kept !== null && files !== null) {
      await catalog.keepContents([{ id, digest, text: kept.text, files }])
    }
  }
}

/** @throws AppError `id_taken` (409) */
function renamedSkill(
  skill: StoredSkill,
  from: string,
  target: SkillPlace,
  stored: ReadonlyMap<string, StoredSkill>,
): StoredSkill {
  const to = skillId(target.owner, target.repo, target.skill)
  const taken = stored.get(to)
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
  return {
    ...skill,
    ...target,
    id: to,
    // Only the repository's own skill is in the root.
    path: (target.skill === null) === (skill.skill === null) ? skill.path : null,
    name: skill.name === (skill.skill ?? skill.repo) ? (target.skill ?? target.repo) : skill.name,
    url: isOwnAddress ? new URL(`/${target.owner}/${target.repo}`, skill.url ?? undefined).href : skill.url,
    formerIds: from === to ? skill.formerIds : [...new Set([...skill.formerIds, from])].filter((each) => each !== to),
  }
}

/** The stored skills of these ids. */
export async function findSkills(
  catalog: Pick<Catalog, 'findStored'>,
  ids: string[],
): Promise<Map<string, StoredSkill>> {
  const found = await catalog.findStored('skills', ids)
  return new Map(found.map(({ id, stored }) => [id, stored as StoredSkill]))
}

async function unknownRecord(catalog: ModeratedCatalog, type: RecordType, id: string): Promise<AppError> {
  const named = type === 'skills' && !id.includes('@') ? await catalog.idsOfRepository(id) : []
  if (named.length > 0) {
    const skills = `${formatCount(named.length, 'skills')}: ${named.slice(0, maxSuggestions).join(', ')}${named.length > maxSuggestions ? ', …' : ''}`
    const message = `The catalog has no skill ${id}, but a repository of this name with ${skills}. Name one of them, or give --all-skills to change all.`
    return new AppError(404, 'record_unknown', message)
  }
  const similar = type === 'skills' ? await catalog.nearMatches(id, maxSuggestions).catch(() => []) : []
  const rest = similar.length === 0 ? '' : ` Similar: ${similar.join(', ')}.`
  return new AppError(404, 'record_unknown', `The catalog has no ${nouns[type]} ${id}.${rest}`)
}

const nouns: Record<RecordType, string> = { skills: 'skill', prompts: 'prompt', organizations: 'organization' }
