import { encodeCursor } from '../../../services/query/request/cursor.js'
import { queryCases } from '../../endpoints/parameter-cases.js'
import { get, list, type SharedRequest, search } from './shared-request.js'

const cursorOfAnotherWalk = encodeCursor(
  { sort: 'updated', order: 'desc', filters: {} },
  { value: '2026-01-01T00:00:00.000Z', id: 'acme/kumquat' },
)

/** Without an alias, sequences, which differ between catalogs, and completions, which are asked for elsewhere. */
const askedPaths = ['/api/v1/skills', '/api/v1/skills/acme/pdf', '/api/v1/skills/search', '/api/v1/export']

/** Requests with valid and invalid parameters, paths and methods. */
export const parameterRequests: Record<string, SharedRequest[]> = {
  'every documented value of the parameters': get(...validValues()),

  'refused requests': [
    ...get(
      ...list('limit=0, limit=101&sort=size, limit=1&limit=2&sort=&topci=pdf&minStars=x, colour=red'),
      ...list(`cursor=nonsense, sort=stars&cursor=${cursorOfAnotherWalk}, page=2&cursor=x, page=101&limit=100`),
      '/api/v1/skills/search',
      ...search('', `, ${'x'.repeat(201)}`),
      ...search('&sort=relevance&order=asc', 'pdf'),
      ...search('&page=11&limit=100', 'pdf'),
      ...search('&facets=stars', 'pdf'),
      '/api/v1/export?type=everything',
      '/api/v1/export?type=skills&format=xml',
      '/api/v1/exports/20200101T000000000Z/skills.csv',
      '/api/v1/exports/20200101T000000000Z/skills.xml',
      '/api/v1/skills/-/x!',
      '/api/v2/skills',
      '/metrics',
    ),
    { method: 'POST', path: '/api/v1/skills' },
    { method: 'DELETE', path: '/api/v1/skills/acme/kumquat' },
    { method: 'OPTIONS', path: '/api/v1/skills' },
  ],
}

/** Requests with each valid value of the parameter tables. */
function validValues(): string[] {
  return Object.entries(queryCases)
    .filter(([path]) => askedPaths.includes(path))
    .flatMap(([path, { least, parameters, together = [] }]) => [
      ...Object.entries(parameters).flatMap(([name, { valid }]) => {
        const { [name]: _itself, ...others } = least
        return valid.map((value) => `${path}?${new URLSearchParams(others)}&${name}=${value}`)
      }),
      ...together.map((query) => `${path}?${query}`),
    ])
}
