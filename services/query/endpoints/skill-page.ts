import { z } from 'zod'
import { organizationOf, type Skill, skillId, skillOf } from '../../../shared/records/skill.js'
import { shorten } from '../../../shared/text/clean-text.js'
import { endpoint } from '../http/endpoint.js'
import { SkillPath } from '../http/parameters.js'
import { askThisService } from '../pages/ask-this-service.js'
import { htmlType, pageHeaders, renderPage } from '../pages/render-page.js'
import { publishedSkillOrRepository } from '../skills/published-skill.js'
import type { HistoryAnswer, ListAnswer, RelatedAnswer } from '../web/api/answers.js'
import type { Point } from '../web/components/line-chart.js'

/** Skills of a repository that a page lists. */
const listedOfRepository = 100

/** Related skills, and other skills of the owner, that a page lists. */
const listed = 6

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
  query: z.object({}),
  response: z.string(),
  limits: ['default'],
  cache: { maxAgeSeconds: 300, staleWhileRevalidateSeconds: 3_600 },

  async handle({ params, header, path }, deps) {
    const id = skillId(params.owner, params.repo)
    const found = await publishedSkillOrRepository(deps.catalog, id, (presentId) => `/skills/${presentId}`)
    const { named } = found
    const skill = skillOf(found)
    const ask = askThisService(deps)
    const origin = deps.originOf(header)
    const ofOwner = `/api/v1/skills?owner=${skill.owner}&sort=stars&limit=${listed + 1}`
    const [related, siblings, history] = await Promise.all([
      // The page is complete without them.
      ask<RelatedAnswer>(`/api/v1/skills/${skill.id}/related?limit=${listed}`).catch(() => ({ data: [] })),
      ask<ListAnswer>(ofOwner).catch(() => ({ data: [] })),
      ask<HistoryAnswer>(`/api/v1/skills/${skill.id}/history`).then(
        ({ data }) => data.days,
        () => [],
      ),
    ])
    const text = renderPage({
      title: `${skill.name} – ${skill.id}`,
      description: shorten(skill.description ?? `${skill.name}, a skill by ${skill.owner}.`, 300),
      canonical: `${origin}/skills/${skill.id}`,
      json: `/api/v1/skills/${skill.id}`,
      path,
      about: aboutSkill(skill, origin),
      shown: {
        view: 'skill',
        data: {
          skill,
          named: named && { ...named, skills: named.skills.slice(0, listedOfRepository) },
          related: related.data,
          stars: untilToday(history, deps.clock()),
          siblings: siblings.data.filter((sibling) => sibling.id !== skill.id).slice(0, listed),
          origin,
        },
      },
    })
    return { text, headers: pageHeaders }
  },
})
