import { type CacheHint, type McpServer, ResourceNotFoundError, ResourceTemplate } from '@modelcontextprotocol/server'
import { type Skill as SkillEntry, type SkillSource, SkillsExtension } from '@modelcontextprotocol/server/ext/skills'
import { z } from 'zod'
import { repositoryId, skillSegment } from '../../../shared/records/skill.js'
import type { AppError } from '../../../shared/runtime/errors.js'
import { repositorySkillsIndex, skillsIndex } from '../endpoints/clients/skills-index.js'
import { getSkill } from '../endpoints/get-skill.js'
import { skillText } from '../endpoints/skill-parts.js'
import { type AskEndpoint, answerOf } from '../request/routes.js'
import type { WholeSkill } from '../skills/whole-skills.js'
import { unknownSkill } from './get-skill.js'
import { errorText } from './tool.js'

interface ResourceDeps {
  ask: AskEndpoint
  /** The error for a client: see `toProblemError`. */
  toClientError: (thrown: unknown) => AppError
}

const cacheHint: CacheHint = { ttlMs: (getSkill.cache?.maxAgeSeconds ?? 0) * 1_000, cacheScope: 'public' }

/** Adds the resources: the record of each skill, and the skills that the catalog has whole. */
export function registerResources(server: McpServer, deps: ResourceDeps): void {
  registerRecords(server, deps)
  new SkillsExtension({ source: wholeSkillsOf(deps), cacheHint, onWarning: () => undefined }).attach(server)
}

/** The records as JSON, like `data` of GET /api/v1/skills/:owner/:repo. They are too many to be listed. */
function registerRecords(server: McpServer, { ask, toClientError }: ResourceDeps): void {
  server.registerResource(
    'record',
    new ResourceTemplate('catalog://skills/{owner}/{repo}', { list: undefined }),
    {
      title: 'Record of a skill',
      description:
        'All that the catalog knows about one skill, by its owner and repository, in any case; of one of several skills in a ' +
        'repository, repo is repo@skill.',
      mimeType: 'application/json',
      cacheHint,
    },
    async ({ href }, { owner, repo }) => {
      const segments = { owner: String(owner), repo: String(repo) }
      try {
        const { data } = await answerOf(ask, getSkill, { segments })
        return { contents: [{ uri: href, mimeType: 'application/json', text: JSON.stringify(data) }] }
      } catch (thrown) {
        const error = toClientError(await unknownSkill(thrown, { ...segments, skill: null }, ask))
        throw error.status < 500 ? new ResourceNotFoundError(href, errorText(error)) : error
      }
    },
  )
}

/** The address of a skill's SKILL.md: the last folder has the skill's name, as the extension has it. */
const uriOf = ({ id, name }: WholeSkill): string => `skill://${repositoryId(id)}/${name}/SKILL.md`

const skillUri = /^skill:\/\/([^/]+)\/([^/]+)\/([^/]+)\/SKILL\.md$/

/** What the specification of skills wants of the other fields, and hosts check: most registries of skills do not. */
const Conforming = z.looseObject({
  metadata: z.record(z.string(), z.string()).optional(),
  compatibility: z.string().min(1).max(500).optional(),
})

const conforms = ({ frontmatter }: WholeSkill): boolean => Conforming.safeParse(frontmatter).success

const entryOf = (skill: WholeSkill): SkillEntry => ({
  uri: uriOf(skill),
  frontmatter: { ...skill.frontmatter, name: skill.name, description: skill.description },
  resources: [{ uri: uriOf(skill), digest: skill.digest, size: skill.size }],
})

/**
 * The skills that the catalog has whole, by the Skills extension of MCP: the newest are listed, all are answered. See
 * https://github.com/modelcontextprotocol/ext-skills/blob/main/specification/stable/skills.mdx
 */
function wholeSkillsOf({ ask, toClientError }: ResourceDeps): SkillSource {
  /** What `asked` gives; null: the catalog does not know the skill. */
  const known = async <Answer>(asked: () => Promise<Answer>): Promise<Answer | null> => {
    try {
      return await asked()
    } catch (thrown) {
      const error = toClientError(thrown)
      if (error.status < 500) {
        return null
      }
      throw error
    }
  }
  const find = async (uri: string): Promise<WholeSkill | null> => {
    const [, owner = '', repo = '', name = ''] = skillUri.exec(uri) ?? []
    // First as one of several skills of a repository, then as the only skill of one.
    for (const segment of owner === '' ? [] : [skillSegment(repo, name), repo]) {
      const segments = { owner, repo: segment }
      const index = await known(() => answerOf(ask, repositorySkillsIndex, { segments }))
      const found = index?.skills.find((skill) => uriOf(skill) === uri && conforms(skill))
      if (found !== undefined) {
        return found
      }
    }
    return null
  }
  return {
    async list() {
      const { skills } = await answerOf(ask, skillsIndex)
      return { skills: skills.filter(conforms).map(entryOf) }
    },
    async get(uri) {
      const found = await find(uri)
      return found === null ? undefined : entryOf(found)
    },
    async read(uri) {
      const found = await find(uri)
      const [owner = '', repo = ''] = found?.id.split('/') ?? []
      const text = found && (await known(() => answerOf(ask, skillText, { segments: { owner, repo } })))
      return text === null ? undefined : { text, mimeType: 'text/markdown' }
    },
  }
}
