import { type Skill, skillOf } from '../../../../shared/records/skill.js'
import { shorten } from '../../../../shared/text/clean-text.js'
import { renderXml } from '../../pages/render-page.js'
import { type EndpointDeps, endpoint } from '../../request/endpoint.js'

const path = '/feed.atom'

const entries = 50

/** Changes among which the undated skills are looked for: no list is sorted by the time at which skills were ingested. */
const latestChanges = 1_000

/** Characters of an entry's summary. */
const maxSummaryLength = 1_000

/** GET /feed.atom: the latest new or updated skills, for feed readers (RFC 4287). */
export const feed = endpoint({
  name: 'feed',
  path,
  summary: `The ${entries} latest new or updated skills, as an Atom feed`,
  docs: { tag: 'Discovery', errors: ['catalog_unavailable'] },
  produces: 'application/atom+xml; charset=utf-8',
  cache: { maxAgeSeconds: 300, staleWhileRevalidateSeconds: 3_600 },

  async handle({ header }, deps) {
    const [dated, undated] = await Promise.all([
      deps.catalog.listSkills({ filters: {}, sort: 'updated', order: 'desc', limit: entries }),
      undatedSkills(deps),
    ])
    const listed = dated.skills.map(skillOf).filter(({ updatedAt }) => updatedAt !== null)
    const latest = [...undated, ...listed].sort(
      (one, other) => compareTexts(lastChange(other), lastChange(one)) || compareTexts(one.id, other.id),
    )
    return { text: atom(latest.slice(0, entries), deps.originOf(header)) }
  },
})

/** The skills without a time of change that were ingested last. */
async function undatedSkills({ catalog, changes }: EndpointDeps): Promise<Skill[]> {
  const ids = (await changes.latest(latestChanges)).flatMap(({ id, contentHash }) => (contentHash === null ? [] : [id]))
  return (await catalog.findSkills(ids))
    .flatMap((found) => (found.state === 'published' ? skillOf(found) : []))
    .filter(({ updatedAt }) => updatedAt === null)
}

const atom = (skills: Skill[], origin: string): string =>
  renderXml({
    feed: {
      '@xmlns': 'http://www.w3.org/2005/Atom',
      id: `${origin}${path}`,
      title: 'Skill Catalog: new and updated skills',
      updated: skills.map(lastChange).sort().at(-1) ?? beginning,
      author: { name: 'Skill Catalog' },
      rights: 'CC BY 4.0, https://creativecommons.org/licenses/by/4.0/',
      link: [
        { '@rel': 'self', '@type': 'application/atom+xml', '@href': `${origin}${path}` },
        { '@rel': 'alternate', '@type': 'text/html', '@href': `${origin}/` },
      ],
      entry: skills.map((skill) => entryOf(skill, origin)),
    },
  })

function entryOf(skill: Skill, origin: string): object {
  const address = `${origin}/skills/${skill.id}`
  const published = skill.publishedAt ?? skill.createdAt
  return {
    id: address,
    title: skill.name,
    updated: lastChange(skill),
    ...(published === null ? {} : { published }),
    author: { name: skill.owner },
    link: [
      { '@rel': 'alternate', '@type': 'text/html', '@href': address },
      ...(skill.url === null ? [] : [{ '@rel': 'related', '@href': skill.url }]),
    ],
    category: skill.topics.map((topic) => ({ '@term': topic })),
    summary: shorten(skill.description ?? skill.id, maxSummaryLength),
  }
}

const compareTexts = (one: string, other: string): number => (one === other ? 0 : one < other ? -1 : 1)

/** The time of an empty feed: Atom requires one. */
const beginning = new Date(0).toISOString()

/** Atom requires a time for every entry: a skill whose source gives none changed when this change was ingested. */
const lastChange = ({ updatedAt, indexedAt }: Skill): string => updatedAt ?? indexedAt ?? beginning
