import { z } from 'zod'
import { gone, notFound } from '../../../shared/errors.js'
import { PathSegment } from '../../../shared/records/fields.js'
import { skillId } from '../../../shared/records/skill.js'
import { endpoint, pathWithQuery } from '../endpoint.js'
import { movedTo } from '../errors.js'
import { FieldList, SkillWithFields, withFields } from '../fields.js'

const maxSuggestions = 3

/** GET /api/skills/:owner/:repo: one skill, by the name it has or once had. */
export const getSkill = endpoint({
  name: 'get-skill',
  path: '/api/skills/:owner/:repo',
  aliases: ['/api/v1/skills/:owner/:repo'],
  summary: 'One skill',
  docs: {
    tag: 'Skills',
    description:
      'By the name that it has, in any case, or once had: a former name is answered with the present address.',
    errors: ['moved', 'skill_unknown', 'skill_removed', 'catalog_unavailable'],
  },
  params: z.object({ owner: PathSegment, repo: PathSegment }),
  query: z.object({ fields: FieldList }),
  response: z.object({ data: SkillWithFields }),
  limits: ['default'],
  cache: { maxAgeSeconds: 60, staleWhileRevalidateSeconds: 300 },

  async handle({ params, query, given, path }, { catalog }) {
    const id = skillId(params.owner, params.repo)
    const found = await catalog.findSkill(id)
    switch (found.state) {
      case 'published':
        return {
          body: { data: withFields(found.skill, query.fields) },
          links: [{ rel: 'canonical', target: pathWithQuery(`/api/v1/skills/${id}`, given) }],
        }
      case 'renamed':
        // The new address keeps the form of the old one: versioned or not.
        throw movedTo(
          pathWithQuery(`${path.split('/').slice(0, -2).join('/')}/${found.presentId}`, given),
          `${id} has a new name: ${found.presentId}.`,
        )
      case 'removed':
        throw gone('skill_removed', `${id} was removed on ${found.removedAt.slice(0, 10)}. Delete your copy of it.`)
      case 'unknown': {
        const suggestions = await catalog.nearMatches(id, maxSuggestions)
        const search = pathWithQuery('/api/v1/skills/search', [['q', id]])
        throw notFound('skill_unknown', `No skill is called ${id}. Look for it with ${search}`, suggestions)
      }
    }
  },
})
