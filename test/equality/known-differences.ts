import type { Comparable } from './comparable.js'
import { search } from './requests/shared-request.js'

/** Where the engines differ: the reason, and what must still be equal. */
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
    'Words that the index has as one: Meilisearch reports their distance only as part of a total. So the score differs; ' +
    'the order and equality of scores do not.',
  alike: withoutScores,
}

/** By the path of the request. */
export const knownDifferences = new Map<string, KnownDifference>([
  ...search('', 'data base', 'kum quat', 'mark down').map((path) => [path, wordsApart] as const),
  ...search('&highlight=true', 'kum quat').map((path) => [path, wordsApart] as const),
])
