import { z } from 'zod'
import type { Catalog } from '../../../shared/ports/catalog.js'
import { type FoundSkill, maxOfRepository } from '../../../shared/ports/skill-reader.js'
import { maxTopics, segmentPattern, skillSegmentPattern } from '../../../shared/records/fields.js'
import { givenSkillId, type Skill, skillOf } from '../../../shared/records/skill.js'
import { type FieldError, invalidParameters } from '../../../shared/runtime/errors.js'
import type { Backends } from '../observability/backends.js'
import { commaListPattern, documentedAs } from '../openapi/documented-as.js'
import { movedTo, problemError } from '../problems/errors.js'
import { pathWithQuery } from '../request/endpoint.js'

const maxSuggestions = 3

/**
 * The published skill of this id, as JSON.
 *
 * @param pathOf returns the requested path for another id
 * @throws AppError `moved` (308) when it has been renamed, `skill_removed` (410), `skill_unknown` (404)
 */
export async function publishedSkill(
  catalog: Pick<Backends['catalog'], 'findSkill' | 'nearMatches'>,
  id: string,
  pathOf: (presentId: string) => string,
): Promise<{ record: string }> {
  return publishedOf(catalog, id, await catalog.findSkill(id), pathOf)
}

async function publishedOf(
  catalog: Pick<Backends['catalog'], 'nearMatches'>,
  id: string,
  found: FoundSkill,
  pathOf: (presentId: string) => string,
): Promise<{ record: string }> {
  switch (found.state) {
    case 'published':
      return found
    case 'renamed':
      throw movedTo(pathOf(found.presentId), `${id} was renamed to ${found.presentId}.`)
    case 'removed':
      throw problemError(
        'skill_removed',
        `${id} was removed on ${found.removedAt.slice(0, 10)}. Delete your copy of it.`,
      )
    case 'unknown': {
      const suggestions = await catalog.nearMatches(id, maxSuggestions)
      const search = pathWithQuery('/api/v1/skills/search', [['q', id]])
      throw problemError('skill_unknown', `There is no skill ${id}. Search for it with ${search}`, {
        extensions: { suggestions },
      })
    }
  }
}

/** A skill, or the view of a repository: its own record, or one made of its skills. */
export interface SkillOrRepository {
  record: string
  /** The skills of the repository that have names of their own, see the port; null: none, or the id names one. */
  named: { skills: Skill[]; total: number } | null
}

/**
 * The published skill of this id; where it is that of a repository, with the skills in it. A repository of which only such
 * skills are known is found as well.
 *
 * @param pathOf returns the requested path for another id
 * @param limit of the skills of a repository that are read: what is made of them is made of so many
 * @throws AppError as `publishedSkill`
 */
export async function publishedSkillOrRepository(
  catalog: Pick<Backends['catalog'], 'findSkill' | 'readRepository' | 'nearMatches'>,
  id: string,
  pathOf: (presentId: string) => string,
  limit = maxOfRepository,
): Promise<SkillOrRepository> {
  if (id.includes('@')) {
    const { record } = await publishedSkill(catalog, id, pathOf)
    return { record, named: null }
  }
  const { own, records, total, present } = await catalog.readRepository(id, limit)
  if (records.length > 0) {
    const skills = records.map((record) => skillOf({ record }))
    const record = own.state === 'published' ? own.record : JSON.stringify(asOneSkill(id, skills))
    return { record, named: { skills, total } }
  }
  if (present !== null) {
    throw movedTo(pathOf(present), `The skills of ${id} are in ${present} now.`)
  }
  const { record } = await publishedOf(catalog, id, own, pathOf)
  return { record, named: null }
}

/**
 * A repository as a skill: what its skills have in common, their topics together, the most frequent first, and the newest of
 * their times.
 */
function asOneSkill(id: string, skills: Skill[]): Skill {
  const common = <Field extends keyof Skill>(field: Field): Skill[Field] | null => {
    const [first, ...others] = new Set(skills.map((skill) => skill[field]))
    return first === undefined || others.length > 0 ? null : first
  }
  const most = (field: 'stars' | 'forks'): number | null =>
    skills.reduce<number | null>((max, { [field]: value }) => (value === null ? max : Math.max(max ?? 0, value)), null)
  const newest = (field: 'createdAt' | 'updatedAt' | 'publishedAt' | 'indexedAt'): string | null =>
    skills.reduce<string | null>((max, { [field]: time }) => (time !== null && time > (max ?? '') ? time : max), null)
  const topics = new Map<string, number>()
  for (const topic of skills.flatMap((skill) => skill.topics)) {
    topics.set(topic, (topics.get(topic) ?? 0) + 1)
  }
  const [owner = '', repo = ''] = id.split('/')
  return {
    id,
    owner: skills[0]?.owner ?? owner,
    repo: skills[0]?.repo ?? repo,
    name: skills[0]?.repo ?? repo,
    description: null,
    topics: [...topics]
      .sort(([, a], [, b]) => b - a)
      .slice(0, maxTopics)
      .map(([topic]) => topic),
    license: common('license'),
    language: common('language'),
    homepage: null,
    url: common('url'),
    stars: most('stars'),
    forks: most('forks'),
    version: null,
    archived: skills.every(({ archived }) => archived),
    createdAt: newest('createdAt'),
    updatedAt: newest('updatedAt'),
    publishedAt: newest('publishedAt'),
    indexedAt: newest('indexedAt'),
    skill: null,
    path: null,
    commit: common('commit'),
    digest: null,
  }
}

/** Skills that one request looks up. */
export const maxIds = 100

/** As the field's tools write it, too: `owner/repo/skill`. */
const idPattern = `${segmentPattern}/${skillSegmentPattern.replace('@', '[@/]')}`
/** An id as people and tools write it, in any case. */
export const idForm = new RegExp(`^${idPattern}$`)

/** Characters of a malformed id that are returned to its sender. */
const maxRepeated = 100

/** `ids=`: a comma list of ids in any case, as distinct ids in lower case. */
export const IdList = z
  .string()
  .transform((text, context) => {
    const ids = text.split(',')
    const malformed = ids.find((id) => !idForm.test(id))
    const distinct = [...new Set(ids.map(givenSkillId))]
    if (malformed !== undefined) {
      const repeated = JSON.stringify(malformed.slice(0, maxRepeated))
      context.addIssue(`has ${repeated}, which is not an id such as acme/pdf-tools or acme/skills@pdf.`)
    } else if (distinct.length > maxIds) {
      context.addIssue(`names ${distinct.length} skills; ask for at most ${maxIds} at once.`)
    }
    return distinct
  })
  .meta(documentedAs({ type: 'string', pattern: commaListPattern(idPattern, maxIds) }))

/** Why a skill was not found, and the id to request instead. */
export const MissingSkill = z.object({
  id: z.string().describe('the requested id, in lower case'),
  reason: z.enum(['unknown', 'removed', 'renamed']),
  presentId: z.string().nullable().describe('the present id of a renamed skill; null for the others'),
})
type MissingSkill = z.infer<typeof MissingSkill>

/**
 * Other parameters would filter or sort, and so drop some of the requested skills.
 *
 * @param given names of the request's parameters
 * @throws AppError `invalid_parameters` (400) that names each of them
 */
export function refuseParametersWithIds(given: string[]): void {
  const errors = [...new Set(given)]
    .filter((parameter) => !['ids', 'fields'].includes(parameter))
    .map((parameter): FieldError => ({ parameter, message: 'cannot be given together with ids: omit one of them.' }))
  if (errors.length > 0) {
    throw invalidParameters(errors)
  }
}

/** The published skills of these ids as JSON, in their order, and the reasons for the others. */
export async function findByIds(
  catalog: Pick<Catalog, 'findSkills'>,
  ids: string[],
): Promise<{ skills: { record: string }[]; missing: MissingSkill[] }> {
  const skills: { record: string }[] = []
  const missing: MissingSkill[] = []
  for (const [position, found] of (await catalog.findSkills(ids)).entries()) {
    if (found.state === 'published') {
      skills.push(found)
    } else {
      const presentId = found.state === 'renamed' ? found.presentId : null
      missing.push({ id: ids[position] ?? '', reason: found.state, presentId })
    }
  }
  return { skills, missing }
}
