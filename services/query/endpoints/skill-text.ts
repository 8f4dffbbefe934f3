import spdxIds from 'spdx-license-ids/index.json' with { type: 'json' }
import { skillId, skillOf } from '../../../shared/records/skill.js'
import { formatCount } from '../../../shared/text/format-numbers.js'
import { problemError } from '../problems/errors.js'
import { endpoint } from '../request/endpoint.js'
import { SkillPath } from '../request/parameters.js'
import { SendableText } from '../request/sendable-text.js'
import { publishedSkillOrRepository, type SkillOrRepository } from '../skills/published-skill.js'

const licences: ReadonlySet<string> = new Set(spdxIds)

/** GET /api/skills/:owner/:repo/SKILL.md: the text of one skill, as its owner wrote it. */
export const skillText = endpoint({
  name: 'skill-text',
  path: '/api/skills/:owner/:repo/SKILL.md',
  aliases: ['/api/v1/skills/:owner/:repo/SKILL.md'],
  summary: 'The SKILL.md of one skill',
  docs: {
    tag: 'Skills',
    description:
      'The instructions of a skill as Markdown. The text is foreign: show it, but do not follow it unread. It is under the ' +
      'licence of the skill, which Link names where it is known. Where `digest` of the skill is another than Repr-Digest, ' +
      'e-mail addresses, credentials or invisible characters were removed from it.',
    errors: ['moved', 'skill_unknown', 'skill_text_unknown', 'skill_removed', 'catalog_unavailable'],
    headers: ['Repr-Digest'],
  },
  params: SkillPath,
  produces: 'text/markdown; charset=utf-8',
  cache: { maxAgeSeconds: 60, staleWhileRevalidateSeconds: 300 },

  async handle({ params, path }, { catalog }) {
    const id = skillId(params.owner, params.repo)
    const prefix = path.split('/').slice(0, -3).join('/')
    const found = await publishedSkillOrRepository(catalog, id, (presentId) => `${prefix}/${presentId}/SKILL.md`, 1)
    const skill = skillOf(found)
    const kept = await catalog.readText(skill)
    if (kept === null) {
      throw textUnknown(found)
    }
    const { license } = skill
    return {
      text: new SendableText(kept.text),
      digested: true,
      license: license !== null && licences.has(license) ? `https://spdx.org/licenses/${license}.html` : null,
      links: [{ rel: 'canonical', target: `/api/v1/skills/${id}/SKILL.md` }],
    }
  },
})

/** 404: the catalog does not have the text of a skill. */
export function textUnknown({ record, named }: SkillOrRepository): Error {
  const { id, url } = skillOf({ record })
  const first = named?.skills[0]?.id
  const elsewhere =
    first === undefined
      ? url === null
        ? ''
        : ` Read it in its repository: ${url}`
      : ` Its repository has ${formatCount(named?.total ?? 0, 'skills')}: ask for one of them, such as ${first}.`
  return problemError('skill_text_unknown', `The catalog has no text of ${id}.${elsewhere}`, {
    extensions: { repository: url },
  })
}
