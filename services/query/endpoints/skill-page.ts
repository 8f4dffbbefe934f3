import { z } from 'zod'
import { skillOf } from '../../../shared/ports/search-index.js'
import { type Skill, skillId } from '../../../shared/records/skill.js'
import { shorten } from '../../../shared/text/clean-text.js'
import { type Html, html } from '../../../shared/text/html.js'
import { endpoint } from '../http/endpoint.js'
import { SkillPath } from '../http/parameters.js'
import { htmlType, pageHeaders, renderPage } from '../pages/page.js'
import { publishedSkill } from '../skills/published-skill.js'

/** Related skills that a page lists. */
const relatedOnPage = 6

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

  async handle({ params, header }, { catalog, index, originOf }) {
    const id = skillId(params.owner, params.repo)
    const skill = await publishedSkill(catalog, id, (presentId) => `/skills/${presentId}`)
    // The page is complete without them.
    const related = await index.related(skill.id, relatedOnPage).catch(() => [])
    return { text: page(skill, related.map(skillOf), originOf(header)), headers: pageHeaders }
  },
})

function page(skill: Skill, related: Skill[], origin: string): string {
  const about = skill.description ?? `${skill.name}, a skill by ${skill.owner}.`
  return renderPage({
    title: `${skill.name} – ${skill.id}`,
    description: shorten(about, 300),
    canonical: `${origin}/skills/${skill.id}`,
    main: html`<article>
<h1>${skill.name}</h1>
<p class="quiet">${skill.owner}/${skill.repo}</p>
<p class="long">${skill.description}</p>
<ul class="topics" aria-label="Topics">${skill.topics.map(
      (topic) => html`<li><a href="/#${new URLSearchParams({ topic }).toString()}">${topic}</a></li>`,
    )}</ul>
<dl>${facts(skill)}</dl>
<p><a href="/api/v1/skills/${skill.id}">As JSON</a> · <a href="/#${new URLSearchParams({ owner: skill.owner }).toString()}">More of ${skill.owner}</a></p>
</article>
${related.length === 0 ? null : relatedList(related)}`,
  })
}

const relatedList = (related: Skill[]): Html => html`<section aria-labelledby="related">
<h2 id="related">Related skills</h2>
<ul>${related.map(
  ({ id, name, description }) =>
    html`<li><a href="/skills/${id}">${name}</a> <span class="quiet">${id}</span> ${shorten(description ?? '', 120)}</li>\n`,
)}</ul>
</section>`

/** The known fields of the skill, each as a term and its description. */
const facts = (skill: Skill): Html[] =>
  (
    [
      ['Repository', link(skill.url)],
      ['Homepage', link(skill.homepage)],
      ['Stars', skill.stars],
      ['Forks', skill.forks],
      ['Version', skill.version],
      ['Language', skill.language],
      ['Licence', skill.license],
      ['Archived', skill.archived ? 'yes: no longer maintained' : null],
      ['Created', day(skill.createdAt)],
      ['Updated', day(skill.updatedAt)],
      ['Published', day(skill.publishedAt)],
    ] as const
  ).flatMap(([term, fact]) => (fact === null ? [] : [html`<dt>${term}</dt><dd>${fact}</dd>\n`]))

// Third-party links: send no referrer, and pass no search ranking on to them.
const link = (address: string | null): Html | null =>
  address === null ? null : html`<a href="${address}" rel="nofollow noopener noreferrer">${address}</a>`

const day = (time: string | null): Html | null =>
  time === null ? null : html`<time datetime="${time}">${time.slice(0, 10)}</time>`
