import { type McpServer, ResourceNotFoundError, ResourceTemplate } from '@modelcontextprotocol/server'
import type { AppError } from '../../../shared/runtime/errors.js'
import { visibleText } from '../../../shared/text/clean-text.js'
import { getSkill } from '../endpoints/get-skill.js'
import type { AskEndpoint } from '../http/ask-endpoint.js'

const template = 'skill://{owner}/{repo}'

/** Adds the resources of skills: as JSON, like `data` of GET /api/v1/skills/:owner/:repo. They are too many to be listed. */
export function registerSkillResource(
  server: McpServer,
  { ask, toClientError }: { ask: AskEndpoint; toClientError: (thrown: unknown) => AppError },
): void {
  server.registerResource(
    'skill',
    new ResourceTemplate(template, { list: undefined }),
    {
      title: 'Skill',
      description: 'All that the catalog knows about one skill, by its owner and repository, in any case.',
      mimeType: 'application/json',
      cacheHint: { ttlMs: (getSkill.cache?.maxAgeSeconds ?? 0) * 1_000, cacheScope: 'public' },
    },
    async ({ href }, { owner, repo }) => {
      const segments = { owner: String(owner), repo: String(repo) }
      try {
        const { data } = getSkill.response.parse(await ask(getSkill, { segments, querystring: '' }))
        return { contents: [{ uri: href, mimeType: 'application/json', text: JSON.stringify(data) }] }
      } catch (thrown) {
        const error = toClientError(thrown)
        throw error.status < 500 ? new ResourceNotFoundError(href, visibleText(error.message)) : error
      }
    },
  )
}
