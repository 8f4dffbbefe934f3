import { z } from 'zod'
import { commitPage, folderPage, installLine } from '../../../../shared/fields/repository-pages.js'
import { toSkillName } from '../../../../shared/fields/web-address.js'
import { PathSegment } from '../../../../shared/records/schemas.js'
import { organizationOf, repositoryId, type Skill, skillId, skillOf } from '../../../../shared/records/skill.js'
import { shorten } from '../../../../shared/text/clean-text.js'
import type { Backends } from '../../observability/backends.js'
import { readInstructions } from '../../pages/render-markdown.js'
import { htmlType, pageAnswer } from '../../pages/render-page.js'
import { endpoint } from '../../request/endpoint.js'
import { SkillPath } from '../../request/parameters.js'
import { movedTo } from '../../request/problems.js'
import type { HistoryAnswer, ListAnswer, RelatedAnswer } from '../../web/api/answers.js'
import type { Point } from '../../web/components/charts.js'
import type { ListedOfRepository, SkillData } from '../../web/views/skill-view.js'
import { publishedSkillOrRepository } from '../get-skill.js'
import { askThisService } from './page-data.js'

/** Characters of the description of each skill of a repository. */
const maxDescription = 160

/** Related skills, and other skills of the owner, that a page lists. */
const listed = 6

/** Other skills of the repository of a skill, the first of them, and their number; null where there are none. */
async function othersOf(
  catalog: Pick<Backends['catalog'], 'readRepository'>,
  skill: Skill,
): Promise<SkillData['others']> {
  if (skill.skill === null) {
    return null
  }
  const { records, total } = await catalog.readRepository(repositoryId(skill.id), listed + 1)
  const first = records.map((record) => skillOf({ record }))
  const others = first.filter(({ id }) => id !== skill.id).slice(0, listed)
  return total <= 1 ? null : { skills: others.map(({ id, name }) => ({ id, name })), total: total - 1 }
}

const asListed = ({ id, name, description, path }: Skill): ListedOfRepository => ({
  id,
  name,
  description: description && shorten(description, maxDescription),
  path,
})

/** The days of a history as a chart takes them, up to the present one. */
function untilToday(days: HistoryAnswer['data']['days'], nowMs: number): Point[] {
  const points = days.map(({ date, stars }) => ({ date, value: stars }))
  const today = new Date(nowMs).toISOString().slice(0, 10)
  const last = points.at(-1)
  return last === undefined || last.date >= today ? points : [...points, { date: today, value: last.value }]
}

/** A skill in the words of https://schema.org. What is unknown is left out. */
function aboutSkill(skill: Skill, origin: string): object {
  const { name, description, url, language, license, version, topics, owner } = skill
  const known = {
    '@type': 'SoftwareSourceCode',
    name,
    description,
    url: `${origin}/skills/${skill.id}`,
    codeRepository: url,
    programmingLanguage: language,
    license,
    version,
    keywords: topics.join(', ') || null,
    dateCreated: skill.createdAt,
    dateModified: skill.updatedAt,
    datePublished: skill.publishedAt,
    author: { '@type': 'Organization', name: owner, url: `${origin}/organizations/${organizationOf(owner)}` },
  }
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== null))
}

/** GET /skills/:owner/:repo: one skill as a page, for people and search engines. */
export const skillPage = endpoint({
  name: 'skill-page',
  path: '/skills/:owner/:repo',
  summary: 'One skill as a page',
  docs: { tag: 'Discovery', errors: ['moved', 'skill_unknown', 'skill_removed', 'catalog_unavailable'] },
  produces: htmlType,
  params: SkillPath,
  cache: { maxAgeSeconds: 300, staleWhileRevalidateSeconds: 3_600 },

  async handle({ params, header, path }, deps) {
    const id = skillId(params.owner, params.repo)
    const found = await publishedSkillOrRepository(deps.catalog, id, (presentId) => `/skills/${presentId}`)
    const { named } = found
    const skill = skillOf(found)
    const ask = askThisService(deps)
    const origin = deps.originOf(header)
    const ofOwner = `/api/v1/skills?owner=${skill.owner}&sort=stars&distinct=repository&limit=${listed + 1}`
    const [instructions, others, related, siblings, history] = await Promise.all([
      found.isOwn ? readInstructions(deps.catalog, skill) : null,
      othersOf(deps.catalog, skill),
      // The page is complete without them.
      ask<RelatedAnswer>(`/api/v1/skills/${skill.id}/related?limit=${listed}`).catch(() => ({ data: [] })),
      ask<ListAnswer>(ofOwner).catch(() => ({ data: [] })),
      ask<HistoryAnswer>(`/api/v1/skills/${skill.id}/history`).then(
        ({ data }) => data.days,
        () => [],
      ),
    ])
    return pageAnswer({
      title: `${skill.name} – ${skill.id}`,
      description: shorten(
        skill.description ??
          `${skill.name}, ${named === null ? 'a skill' : 'a repository of skills'} by ${skill.owner}.`,
        300,
      ),
      canonical: `${origin}/skills/${skill.id}`,
      json: `/api/v1/skills/${skill.id}`,
      path,
      about: aboutSkill(skill, origin),
      shown: {
        view: 'skill',
        data: {
          skill,
          named: named && { total: named.total, skills: named.skills.map(asListed) },
          others,
          instructions,
          install: installLine(skill),
          pages: { folder: folderPage(skill), commit: commitPage(skill) },
          related: related.data,
          stars: untilToday(history, deps.clock()),
          siblings: siblings.data
            .filter(({ id: sibling }) => repositoryId(sibling) !== repositoryId(skill.id))
            .slice(0, listed),
          origin,
        },
      },
    })
  },
})

/** GET /skills/:owner/:repo/:skill: one of several skills of a repository, as other sites address its page. */
export const namedSkillPage = endpoint({
  name: 'named-skill-page',
  path: '/skills/:owner/:repo/:skill',
  summary: 'One skill of a repository, under the address that other sites use',
  docs: { tag: 'Discovery', description: 'Redirects to `/skills/owner/repo@skill`.', errors: ['moved'] },
  produces: htmlType,
  params: z.object({
    owner: PathSegment.describe("the skill's owner, any case"),
    repo: PathSegment.describe("the skill's repository, any case"),
    skill: PathSegment.describe('its name in the repository, any case'),
  }),
  cache: { maxAgeSeconds: 300, staleWhileRevalidateSeconds: 3_600 },

  async handle({ params: { owner, repo, skill } }) {
    // As the skill is known here: other sites keep the name as its owner writes it.
    const page = `/skills/${skillId(owner, repo, toSkillName(skill) ?? skill)}`
    throw movedTo(page, `The page of this skill is ${page}.`)
  },
})
