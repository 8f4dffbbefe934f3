import { suggestSkills as endpoint } from '../../endpoints/suggest-skills.js'
import { answerOf } from '../../request/routes.js'
import { toLines } from '../skill-summary.js'
import { tool } from '../tool.js'

/** `suggest_skills`: GET /api/v1/skills/suggest. */
export const suggestSkills = tool({
  name: 'suggest_skills',
  title: 'Complete the name of a skill',
  description:
    'Completes the beginning of a name, an owner or an owner/repo: use it when a part of a name is known, or to correct ' +
    'one that get_skill does not know. To find skills by what they do use search_skills.',
  takes: endpoint.query,
  gives: endpoint.response,

  async run(parameters, ask) {
    return answerOf(ask, endpoint, { parameters })
  },

  toText: ({ data, query }) =>
    data.length === 0
      ? `No name begins with “${query}”. Search for what the skill does with search_skills.`
      : [`Names for “${query}”:`, ...data.map(toLines)].join('\n'),
})
