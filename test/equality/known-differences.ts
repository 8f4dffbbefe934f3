import type { Comparable } from './comparable.js'
import { search } from './requests/shared-request.js'

/** Where the engines cannot be made to agree: why, and what must be alike nevertheless. */
export interface KnownDifference {
  why: string
  alike: (answer: Comparable) => unknown
}

const withoutScores = ({ status, headers, body }: Comparable): unknown => ({
  status,
  headers,
  body: JSON.parse(JSON.stringify(body, (name, value) => (name === 'score' ? undefined : value))),
})

const wordsApart: KnownDifference = {
  why:
    'Words that the index knows as one: how far apart they count as being is told by Meilisearch as a share only, of ' +
    'a whole that it does not tell. So the number of the score differs; order and equal scores do not.',
  alike: withoutScores,
}

/** By the path of the request. */
export const knownDifferences = new Map<string, KnownDifference>([
  ...search('', 'data base', 'kum quat', 'mark down').map((path) => [path, wordsApart] as const),
  ...search('&highlight=true', 'kum quat').map((path) => [path, wordsApart] as const),
])
