import type { Catalog } from '../../shared/ports/catalog.js'
import type { RecordState } from '../../shared/records/fields.js'
import type { RecordType } from '../../shared/records/records.js'
import { givenSkillId, repositoryId, type StoredSkill } from '../../shared/records/skill.js'
import { AppError } from '../../shared/runtime/errors.js'
import { formatCount } from '../../shared/text/format-numbers.js'

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
  | 'findHeirs'
  | 'nearMatches'
  | 'readHistories'
  | 'writeHistories'
  | 'readText'
  | 'readFiles'
  | 'lock'
>

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
 * @param options.to the id of the repository to which an interrupted rename may have moved some of them: they are meant
 * @throws AppError `bad_arguments` (400) for the id of a skill, `record_unknown` (404) for that of an unknown repository
 */
export async function skillsOf(
  catalog: ModeratedCatalog,
  id: string,
  { withRemoved = true, to }: { withRemoved?: boolean; to?: string } = {},
): Promise<string[]> {
  if (id.includes('@')) {
    throw new AppError(400, 'bad_arguments', `${id} is one skill. With --all-skills, give a repository: owner/repo.`)
  }
  const ids: string[] = []
  const all = await catalog.idsOfRepository(id)
  for (const batch of batchesOf(all)) {
    const found = await catalog.findSkills(batch)
    // A lookup knows the former id of a published skill, but not that of a hidden one.
    const heirs = await catalog.findHeirs(batch)
    const former = new Set(heirs.filter((heir) => repositoryId(heir.id) !== to).map(({ formerId }) => formerId))
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

/** The items, as many at a time as are read and written at once. */
export function* batchesOf<T>(items: T[]): Generator<T[]> {
  for (let start = 0; start < items.length; start += batchSize) {
    yield items.slice(start, start + batchSize)
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

/** The error for an id that the catalog does not have, with what may be meant. */
export async function unknownRecord(catalog: ModeratedCatalog, type: RecordType, id: string): Promise<AppError> {
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
