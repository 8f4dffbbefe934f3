import { get, list, type SharedRequest, walk } from './shared-request.js'

/** Requests about lists of skills. */
export const listRequests: Record<string, SharedRequest[]> = {
  'lists in every order': get(
    '/api/skills',
    ...['updated', 'stars', 'created', 'name', 'trending'].flatMap((sort) =>
      list(`sort=${sort}&order=asc&limit=50, sort=${sort}&order=desc&limit=50`),
    ),
  ),

  'lists with filters': get(
    ...list('owner=ACME, owner=nobody, owner=twins&sort=stars, topic=pdf, topic=pdf&topic=ocr, topic=C%2B%2B'),
    ...list('topic=caf%C3%A9, license=mit, license=Apache-2.0&sort=stars, language=c%23'),
    ...list(
      'language=Python&archived=false, archived=true, archived=false, minStars=1000&sort=stars&order=asc, minStars=0',
    ),
    ...list('updatedSince=2025-06-01, updatedSince=2025-06-01T12:00:00%2B02:00&sort=created'),
  ),

  'lists paged to the end': walk(
    ...list('limit=100&language=python, limit=100&license=mit&sort=stars&order=asc, limit=50&language=go&sort=created'),
    ...list(
      'limit=50&language=rust&sort=name, limit=7&archived=true&sort=stars, limit=3&owner=twins&sort=name&order=desc',
    ),
  ),

  'lists of one skill of each repository': [
    ...get(
      '/api/skills?distinct=repository&limit=0',
      '/api/skills?distinct=repository&ids=acme/kumquat',
      '/api/skills?distinct=owner',
      ...list(
        'distinct=repository&topic=orchard, distinct=repository&topic=to-peel&sort=stars, distinct=repository&owner=orchard&page=2&limit=1',
      ),
      ...list('distinct=repository&page=3&limit=100&sort=stars, distinct=repository&page=2&limit=50&sort=trending'),
    ),
    ...walk(
      ...['updated', 'stars', 'created', 'name', 'trending'].flatMap((sort) =>
        list(
          `distinct=repository&topic=orchard&limit=1&sort=${sort}, distinct=repository&minStars=900&limit=50&sort=${sort}`,
        ),
      ),
    ),
  ],

  'lists by page': get(...list('page=1, page=2&limit=7, page=3&limit=100&sort=stars, page=100&limit=100')),
}
