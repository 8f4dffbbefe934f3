import { formatCount } from '../../../../shared/text/format-numbers.js'
import { stats as endpoint } from '../../endpoints/stats.js'
import { answerOf } from '../../request/routes.js'
import { tool } from '../tool.js'

/** Topics and owners in the text; the structure has all. */
const maxNamed = 10

/** `catalog_stats`: GET /api/v1/stats. */
export const catalogStats = tool({
  name: 'catalog_stats',
  title: 'Statistics of the catalog',
  description:
    'Gives the size of the catalog, its most frequent topics, its largest owners, and how fresh its data is. Use it to ' +
    'learn which topics and owners there are to filter by.',
  takes: endpoint.query,
  gives: endpoint.response,

  async run(_, ask) {
    return answerOf(ask, endpoint)
  },

  toText({ data: { totals, topTopics, topOrganizations, freshness } }) {
    const topics = topTopics.slice(0, maxNamed).map(({ topic, skills }) => `${topic} (${skills})`)
    const owners = topOrganizations.slice(0, maxNamed).map(({ login, skills }) => `${login} (${skills})`)
    return [
      `${formatCount(totals.skills, 'skills')}${
        totals.repositories === null ? '' : ` in ${formatCount(totals.repositories, 'repositories')}`
      } of ${formatCount(totals.organizations, 'organizations')}, ` +
        `${formatCount(totals.topics, 'topics')}, ${formatCount(totals.stars, 'stars')}`,
      `Most frequent topics: ${topics.join(', ') || 'none'}`,
      `Owners with the most skills: ${owners.join(', ') || 'none'}`,
      `Newest change of a skill: ${freshness.newestSkillUpdatedAt ?? 'unknown'}; index updated: ${freshness.lastSyncAt ?? 'unknown'}`,
    ].join('\n')
  },
})
