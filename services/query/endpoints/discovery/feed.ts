import type { Skill } from '../../../../shared/records/skill.js'
import { shorten } from '../../../../shared/text/clean-text.js'
import { renderXml } from '../../pages/render-page.js'
import { endpoint } from '../../request/endpoint.js'
import { beginning, lastChange, latestSkills } from '../../skills/latest-skills.js'

const path = '/feed.atom'

const entries = 50

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
    return { text: atom(await latestSkills(deps, entries), deps.originOf(header)) }
  },
})

const atom = (skills: Skill[], origin: string): string =>
  renderXml({
    feed: {
      '@xmlns': 'http://www.w3.org/2005/Atom',
      id: `${origin}${path}`,
      title: 'Skill Catalog: new and updated skills',
      // Atom requires a time, of an empty feed and of every entry.
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
