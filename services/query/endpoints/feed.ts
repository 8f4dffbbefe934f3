import { type Skill, skillOf } from '../../../shared/records/skill.js'
import { shorten } from '../../../shared/text/clean-text.js'
import { textEndpoint } from '../http/text-endpoint.js'
import { renderXml } from '../pages/xml.js'

const path = '/feed.atom'

const entries = 50

/** Characters of an entry's summary. */
const maxSummaryLength = 1_000

/** GET /feed.atom: the latest new or updated skills, for feed readers (RFC 4287). */
export const feed = textEndpoint({
  name: 'feed',
  path,
  summary: `The ${entries} latest new or updated skills, as an Atom feed`,
  docs: { tag: 'Discovery', errors: ['catalog_unavailable'] },
  produces: 'application/atom+xml; charset=utf-8',
  cache: { maxAgeSeconds: 300, staleWhileRevalidateSeconds: 3_600 },

  async handle({ header }, { catalog, originOf }) {
    const { skills } = await catalog.listSkills({ filters: {}, sort: 'updated', order: 'desc', limit: entries })
    return { text: atom(skills.map(skillOf), originOf(header)) }
  },
})

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

/** The time of an empty feed: Atom requires one. */
const beginning = new Date(0).toISOString()

/** Atom requires a time for every entry: a skill whose source gives none changed when it was ingested. */
const lastChange = ({ updatedAt, publishedAt, createdAt, indexedAt }: Skill): string =>
  updatedAt ?? publishedAt ?? createdAt ?? indexedAt ?? beginning
