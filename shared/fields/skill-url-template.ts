import { z } from 'zod'
import { parseUrl } from '../text/parse-url.js'
import type { RepositoryName } from './web-address.js'

const example = 'https://github.com/{owner}/{repo}'

/**
 * The address that a template gives a repository: for skills whose source has none. Null: there is no template.
 *
 * @param place valid names, as their owner writes them
 */
export const addressOf = ({ owner, repo }: RepositoryName, template: string | undefined): string | null =>
  template?.replaceAll('{owner}', owner).replaceAll('{repo}', repo) ?? null

/** `SKILL_URL_TEMPLATE` in the configuration. */
export const SkillUrlTemplate = z.string().superRefine((template, context) => {
  const address = addressOf({ owner: 'owner', repo: 'repo' }, template)
  const url = address === null ? null : parseUrl(address)
  const isWhole = template.includes('{owner}') && template.includes('{repo}')
  if (!isWhole || url === null || !['http:', 'https:'].includes(url.protocol) || /[{}]/.test(String(address))) {
    context.addIssue({
      code: 'custom',
      message: `must be an http or https address with {owner} and {repo}, such as ${example}`,
    })
  } else if (url.username !== '' || url.password !== '') {
    context.addIssue({ code: 'custom', message: 'must have no user name and no password: it becomes public' })
  }
})
