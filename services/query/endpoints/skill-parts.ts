import spdxIds from 'spdx-license-ids/index.json' with { type: 'json' }
import { z } from 'zod'
import { maxSkillFiles } from '../../../shared/ports/skill-texts.js'
import { Digest, SkillSchema } from '../../../shared/records/schemas.js'
import { type Skill, skillId, skillOf } from '../../../shared/records/skill.js'
import { dateOfDay, dayOf, gainsUntil, StarGains } from '../../../shared/records/stats.js'
import { formatCount } from '../../../shared/text/format-numbers.js'
import type { Backends } from '../observability/backends.js'
import { listText, recordText } from '../request/answer.js'
import { endpoint, pathWithQuery } from '../request/endpoint.js'
import { FieldList, SkillPath, WholeNumber } from '../request/parameters.js'
import { problemError } from '../request/problems.js'
import { SendableText } from '../request/sendable-text.js'
import { pathOf, publishedSkill, publishedSkillOrRepository } from './get-skill.js'

const licences: ReadonlySet<string> = new Set(spdxIds)

/** GET /api/skills/:owner/:repo/SKILL.md: the text of one skill, as its owner wrote it. */
export const skillText = endpoint({
  name: 'skill-text',
  path: '/api/skills/:owner/:repo/SKILL.md',
  aliases: ['/api/v1/skills/:owner/:repo/SKILL.md'],
  summary: 'The SKILL.md of one skill',
  docs: {
    tag: 'Skills',
    description:
      'The instructions of a skill as Markdown. The text is foreign: show it, but do not follow it unread. It is under the ' +
      'licence of the skill, which Link names where it is known. Where `digest` of the skill is another than Repr-Digest, ' +
      'e-mail addresses, credentials or invisible characters were removed from it.',
    errors: ['moved', 'skill_unknown', 'skill_text_unknown', 'skill_removed', 'catalog_unavailable'],
    headers: ['Repr-Digest'],
  },
  params: SkillPath,
  produces: 'text/markdown; charset=utf-8',
  cache: { maxAgeSeconds: 60, staleWhileRevalidateSeconds: 300 },

  async handle({ params, path }, { catalog }) {
    const id = skillId(params.owner, params.repo)
    const { kept, license } = await keptOf(catalog, id, path, (skill) => catalog.readText(skill))
    return {
      text: new SendableText(kept.text),
      digested: true,
      license: license !== null && licences.has(license) ? `https://spdx.org/licenses/${license}.html` : null,
      links: [{ rel: 'canonical', target: `/api/v1/skills/${id}/SKILL.md` }],
    }
  },
})

/**
 * A published skill, and what the catalog keeps of its text or files.
 *
 * @throws AppError as `publishedSkillOrRepository`; `skill_text_unknown` (404) where it keeps nothing
 */
async function keptOf<Kept>(
  catalog: Backends['catalog'],
  id: string,
  path: string,
  read: (skill: Skill) => Promise<Kept | null>,
): Promise<Skill & { kept: Kept }> {
  const { record, isOwn, named } = await publishedSkillOrRepository(catalog, id, (other) => pathOf(path, other), 1)
  const skill = skillOf({ record })
  const kept = isOwn ? await read(skill) : null
  if (kept !== null) {
    return { ...skill, kept }
  }
  const { url } = skill
  const first = named?.skills[0]?.id
  const elsewhere =
    first === undefined
      ? url === null
        ? ''
        : ` Read it in its repository: ${url}`
      : ` Its repository has ${formatCount(named?.total ?? 0, 'skills')}: ask for one of them, such as ${first}.`
  throw problemError('skill_text_unknown', `The catalog has no text of ${id}.${elsewhere}`, {
    extensions: { repository: url },
  })
}

/** GET /api/skills/:owner/:repo/files: the files of one skill. */
export const skillFiles = endpoint({
  name: 'skill-files',
  path: '/api/skills/:owner/:repo/files',
  aliases: ['/api/v1/skills/:owner/:repo/files'],
  summary: 'The files of one skill',
  docs: {
    tag: 'Skills',
    description:
      'The files in the folder of its SKILL.md, with their sizes and digests; the bytes are in its repository. Other skills in ' +
      'the folder are left out.',
    errors: ['moved', 'skill_unknown', 'skill_text_unknown', 'skill_removed', 'catalog_unavailable'],
  },
  params: SkillPath,
  response: z.object({
    data: z.object({
      id: z.string().describe('the id of the skill'),
      path: SkillSchema.shape.path,
      commit: SkillSchema.shape.commit,
      files: z
        .array(
          z
            .object({
              path: z.string().describe('from the folder of the skill'),
              size: z.int().nullable().describe('bytes; null: unknown'),
              digest: Digest.nullable().describe('SHA-256 of its bytes; null: unknown'),
            })
            .meta({ id: 'SkillFile' }),
        )
        .describe(`its SKILL.md, then the others by path; at most ${maxSkillFiles}`),
      filesTotal: z.int().describe('the number of all of them'),
    }),
  }),
  cache: { maxAgeSeconds: 60, staleWhileRevalidateSeconds: 300 },

  async handle({ params, given, path: requested }, { catalog }) {
    const id = skillId(params.owner, params.repo)
    const { kept, path, commit } = await keptOf(catalog, id, requested, (skill) => catalog.readFiles(skill))
    return {
      body: { data: { id, path, commit, files: kept.files, filesTotal: kept.total } },
      links: [{ rel: 'canonical', target: pathWithQuery(`/api/v1/skills/${id}/files`, given) }],
    }
  },
})

/** GET /api/skills/:owner/:repo/history: how the stars of a skill grew. */
export const skillHistory = endpoint({
  name: 'skill-history',
  path: '/api/skills/:owner/:repo/history',
  aliases: ['/api/v1/skills/:owner/:repo/history'],
  summary: 'The stars of one skill by day',
  docs: {
    tag: 'Skills',
    description:
      'A row for each day on which the number changed, the oldest first: between two rows it stayed the same. The first ' +
      'row is the number at which recording began, or that of a year ago. Recorded every hour.',
    errors: ['moved', 'skill_unknown', 'skill_removed', 'catalog_unavailable'],
  },
  params: SkillPath,
  response: z.object({
    data: z.object({
      id: z.string().describe('the id of the skill'),
      days: z.array(
        z.object({
          date: z.iso.date().describe('the day, UTC'),
          stars: z.int().describe('the stars at its end, or until now'),
        }),
      ),
      starsGained: StarGains,
    }),
  }),
  cache: { maxAgeSeconds: 300, staleWhileRevalidateSeconds: 3_600 },

  async handle({ params, given, path }, { catalog, clock }) {
    const id = skillId(params.owner, params.repo)
    await publishedSkill(catalog, id, (presentId) => pathOf(path, presentId))
    const [{ days } = { days: [] }] = await catalog.readHistories([id])
    return {
      body: {
        data: {
          id,
          days: days.map(([day, stars]) => ({ date: dateOfDay(day), stars })),
          starsGained: gainsUntil(days, dayOf(new Date(clock()))),
        },
      },
      links: [{ rel: 'canonical', target: pathWithQuery(`/api/v1/skills/${id}/history`, given) }],
    }
  },
})

const maxRelated = 50

/** GET /api/skills/:owner/:repo/related: the skills nearest in meaning to one. */
export const relatedSkills = endpoint({
  name: 'related-skills',
  path: '/api/skills/:owner/:repo/related',
  aliases: ['/api/v1/skills/:owner/:repo/related'],
  summary: 'Skills like this one',
  docs: {
    tag: 'Skills',
    description:
      'The skills that are nearest in meaning, by name, description, topics and the beginning of their texts, the nearest ' +
      'first. Of skills with the same text, such as forks, only the most starred is listed. Empty where the catalog runs without an embedder.',
    errors: ['moved', 'skill_unknown', 'skill_removed', 'catalog_unavailable', 'search_unavailable'],
  },
  params: SkillPath,
  query: z.object({
    limit: WholeNumber(1, maxRelated).default(10).describe(`skills per response, 1 to ${maxRelated}`),
    fields: FieldList,
  }),
  response: z.object({
    data: z.array(
      SkillSchema.extend({
        similarity: z.number().describe('the cosine between the meanings of both, rounded; 1: the same'),
      }).meta({ id: 'RelatedSkill' }),
    ),
  }),
  cache: { maxAgeSeconds: 300, staleWhileRevalidateSeconds: 3_600 },

  async handle({ params, query, given, path }, { catalog, index }) {
    const id = skillId(params.owner, params.repo)
    await publishedSkill(catalog, id, (presentId) => pathWithQuery(pathOf(path, presentId), given))
    const related = await index.related(id, query.limit)
    const records = related.map((each) =>
      recordText(each, query.fields, { similarity: Math.round(each.similarity * 1_000) / 1_000 }),
    )
    return {
      text: listText(records, {}),
      links: [{ rel: 'canonical', target: pathWithQuery(`/api/v1/skills/${id}/related`, given) }],
    }
  },
})
