import { pathWithQuery } from '../http/endpoint.js'
import type { Backends } from '../observability/backends.js'
import { movedTo, problemError } from '../problems/errors.js'

const maxSuggestions = 3

/**
 * The published skill of this id, as JSON.
 *
 * @param pathOf returns the requested path for another id
 * @throws AppError `moved` (308) when it has been renamed, `skill_removed` (410), `skill_unknown` (404)
 */
export async function publishedSkill(
  catalog: Pick<Backends['catalog'], 'findSkill' | 'nearMatches'>,
  id: string,
  pathOf: (presentId: string) => string,
): Promise<{ record: string }> {
  const found = await catalog.findSkill(id)
  switch (found.state) {
    case 'published':
      return found
    case 'renamed':
      throw movedTo(pathOf(found.presentId), `${id} was renamed to ${found.presentId}.`)
    case 'removed':
      throw problemError(
        'skill_removed',
        `${id} was removed on ${found.removedAt.slice(0, 10)}. Delete your copy of it.`,
      )
    case 'unknown': {
      const suggestions = await catalog.nearMatches(id, maxSuggestions)
      const search = pathWithQuery('/api/v1/skills/search', [['q', id]])
      throw problemError('skill_unknown', `There is no skill ${id}. Search for it with ${search}`, {
        extensions: { suggestions },
      })
    }
  }
}
