import { z } from 'zod'
import { maxSkillFiles } from '../../../shared/ports/skill-texts.js'
import { Digest } from '../../../shared/records/fields.js'
import { Skill, skillId, skillOf } from '../../../shared/records/skill.js'
import { endpoint, pathWithQuery } from '../request/endpoint.js'
import { SkillPath } from '../request/parameters.js'
import { publishedSkillOrRepository } from '../skills/published-skill.js'
import { textUnknown } from './skill-text.js'

/** GET /api/skills/:owner/:repo/files: the files of one skill. */
export const skillFiles = endpoint({
  name: 'skill-files',
  path: '/api/skills/:owner/:repo/files',
  aliases: ['/api/v1/skills/:owner/:repo/files'],
  summary: 'The files of one skill',
  docs: {
    tag: 'Skills',
    description:
      'The files in the folder of its SKILL.md, with their sizes and digests; the bytes are in its repository. Other skills in ' +
      'the folder are left out.',
    errors: ['moved', 'skill_unknown', 'skill_text_unknown', 'skill_removed', 'catalog_unavailable'],
  },
  params: SkillPath,
  response: z.object({
    data: z.object({
      id: z.string().describe('the id of the skill'),
      path: Skill.shape.path,
      commit: Skill.shape.commit,
      files: z
        .array(
          z
            .object({
              path: z.string().describe('from the folder of the skill'),
              size: z.int().nullable().describe('bytes; null: unknown'),
              digest: Digest.nullable().describe('SHA-256 of its bytes; null: unknown'),
            })
            .meta({ id: 'SkillFile' }),
        )
        .describe(`its SKILL.md, then the others by path; at most ${maxSkillFiles}`),
      filesTotal: z.int().describe('the number of all of them'),
    }),
  }),
  cache: { maxAgeSeconds: 60, staleWhileRevalidateSeconds: 300 },

  async handle({ params, given, path }, { catalog }) {
    const id = skillId(params.owner, params.repo)
    const prefix = path.split('/').slice(0, -3).join('/')
    const found = await publishedSkillOrRepository(catalog, id, (presentId) => `${prefix}/${presentId}/files`, 1)
    const skill = skillOf(found)
    const kept = await catalog.readFiles(skill)
    if (kept === null) {
      throw textUnknown(found)
    }
    return {
      body: { data: { id, path: skill.path, commit: skill.commit, files: kept.files, filesTotal: kept.total } },
      links: [{ rel: 'canonical', target: pathWithQuery(`/api/v1/skills/${id}/files`, given) }],
    }
  },
})
