import { z } from 'zod'
import { type FoundSkill, maxOfRepository } from '../../../shared/ports/skill-reader.js'
import { maxTopics } from '../../../shared/records/fields.js'
import { SkillSchema } from '../../../shared/records/schemas.js'
import { givenSkillId, type Skill, skillId, skillOf } from '../../../shared/records/skill.js'
import { type Backends, withinTime } from '../observability/backends.js'
import { recordText, withMembers } from '../request/answer.js'
import { endpoint, pathWithQuery } from '../request/endpoint.js'
import { FieldList, idForm, SkillPath } from '../request/parameters.js'
import { movedTo, problemError } from '../request/problems.js'

/** GET /api/skills/:owner/:repo: one skill, by its present or a former name, or a repository with its skills. */
export const getSkill = endpoint({
  name: 'get-skill',
  path: '/api/skills/:owner/:repo',
  aliases: ['/api/v1/skills/:owner/:repo'],
  summary: 'One skill',
  docs: {
    tag: 'Skills',
    description:
      'By its name, in any case. A former name is redirected to the present one.\n\nOf a repository with several skills, ' +
      '`owner/repo` is the repository: its own record where the catalog has one, else one that is made of its skills. ' +
      '`skills` lists them; ask for one with `owner/repo@skill`.',
    errors: ['moved', 'skill_unknown', 'skill_removed', 'catalog_unavailable'],
  },
  params: SkillPath,
  query: z.object({ fields: FieldList }),
  response: z.object({
    data: SkillSchema,
    skills: z
      .array(
        SkillSchema.pick({ id: true, skill: true, name: true, description: true, path: true }).meta({
          id: 'NamedSkill',
        }),
      )
      .optional()
      .describe(
        `only of a repository with skills that have names of their own: the first ${maxOfRepository}, most starred first`,
      ),
    skillsTotal: z.int().optional().describe('only with skills: the number of all of them'),
  }),
  cache: { maxAgeSeconds: 60, staleWhileRevalidateSeconds: 300 },

  async handle({ params, query, given, path }, { catalog }) {
    const id = skillId(params.owner, params.repo)
    const { record, named } = await publishedSkillOrRepository(catalog, id, (presentId) =>
      pathWithQuery(pathOf(path, presentId), given),
    )
    const skills = named?.skills.map(({ id, skill, name, description, path }) => ({
      id,
      skill,
      name,
      description,
      path,
    }))
    return {
      text: withMembers(`{"data":${recordText({ record }, query.fields)}}`, { skills, skillsTotal: named?.total }),
      links: [{ rel: 'canonical', target: pathWithQuery(`/api/v1/skills/${id}`, given) }],
    }
  },
})

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
interface SkillOrRepository {
  record: string
  /** False: the record is made of its skills. Its own one may be hidden, and have a text and files that are not public. */
  isOwn: boolean
  /** The skills of the repository that have names of their own, see the port; null: none, or the id is that of one. */
  named: { skills: Skill[]; total: number } | null
}

/**
 * The published skill of this id; where it is that of a repository, with the skills in it. A repository of which only such
 * skills are known is found as well.
 *
 * @param pathOf returns the requested path for another id
 * @param limit the maximum number of skills of a repository that are read; a record that is made of them is made of these
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
    return { record, isOwn: true, named: null }
  }
  const { own, records, total, present } = await catalog.readRepository(id, limit)
  if (records.length > 0) {
    const skills = records.map((record) => skillOf({ record }))
    const record = own.state === 'published' ? own.record : JSON.stringify(asOneSkill(id, skills))
    return { record, isOwn: own.state === 'published', named: { skills, total } }
  }
  if (present !== null) {
    throw movedTo(pathOf(present), `The skills of ${id} are in ${present} now.`)
  }
  const { record } = await publishedOf(catalog, id, own, pathOf)
  return { record, isOwn: true, named: null }
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
  const largest = <Value extends string | number>(field: (skill: Skill) => Value | null): Value | null =>
    skills.map(field).reduce((max, value) => (max === null || (value !== null && value > max) ? value : max), null)
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
    stars: largest(({ stars }) => stars),
    forks: largest(({ forks }) => forks),
    version: null,
    archived: skills.every(({ archived }) => archived),
    createdAt: largest(({ createdAt }) => createdAt),
    updatedAt: largest(({ updatedAt }) => updatedAt),
    publishedAt: largest(({ publishedAt }) => publishedAt),
    indexedAt: largest(({ indexedAt }) => indexedAt),
    skill: null,
    path: null,
    commit: common('commit'),
    digest: null,
  }
}

/** How long a search waits for the present name of a skill: without it, it looks for the text as it is. Milliseconds. */
const presentNameWithinMs = 1_000

/**
 * The present id where a text is the former one of a skill or a repository; else the text, also where the catalog does not
 * answer.
 */
export async function presentNameOf(
  catalog: Pick<Backends['catalog'], 'findSkill' | 'readRepository'>,
  text: string,
): Promise<string> {
  const id = givenSkillId(text.trim())
  if (!idForm.test(id)) {
    return text
  }
  const present = id.includes('@')
    ? catalog.findSkill(id).then(renamedTo)
    : catalog.readRepository(id, 1).then(({ own, present }) => renamedTo(own) ?? present)
  return (await withinTime(present, presentNameWithinMs).catch(() => null)) ?? text
}

const renamedTo = (found: FoundSkill): string | null => (found.state === 'renamed' ? found.presentId : null)

/** The path of the same for another skill, in the requested form: with or without the version. */
export const pathOf = (path: string, id: string): string =>
  path.replace(/(\/skills\/)[^/]+\/[^/]+/, (_, before: string) => `${before}${id}`)
