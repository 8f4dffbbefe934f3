import { z } from 'zod'
import { toSkillName } from '../../../shared/fields/web-address.js'
import { PathSegment } from '../../../shared/records/fields.js'
import { skillId } from '../../../shared/records/skill.js'
import { htmlType } from '../pages/render-page.js'
import { movedTo } from '../problems/errors.js'
import { endpoint } from '../request/endpoint.js'

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
