import { expect } from '@jest/globals'
import type { FilterParameters } from '../../shared/ports/filter-table.js'
import { type FacetCount, placements, type SearchHit } from '../../shared/ports/search-index.js'
import { parseSearchText } from '../../shared/ranking/interpret-query.js'
import type { Skill } from '../../shared/records/skill.js'
import { foldLetters } from '../../shared/text/analyze.js'
import { skillWords, wordLines } from '../../shared/text/skill-words.js'
import type { TestResponse } from '../support/test-app.js'
import { comparable, comparableValue } from './comparable.js'

type Hit = Skill & Pick<SearchHit, 'score' | 'others'> & { explanation: NonNullable<SearchHit['explanation']> }

/** The body of a response to a search. */
interface Found {
  data: Hit[]
  mode: string
  pagination: { page: number; limit: number; total: number; totalIsLowerBound: boolean }
  facets?: Record<string, FacetCount[]>
}

export const isSearch = (path: string): boolean => path.startsWith('/api/v1/skills/search')

/** The path of a search that reports why each hit stands where it does. */
export const explained = (path: string): string => path.replace('/search?', '/search?explain=true&')

const foundBy = ({ body }: TestResponse): Found => body as Found

/**
 * Expects of the pages of one search what both modes have in common: the response but for its hits, the rules of their
 * choice and order, and the same hits where the rules leave no choice.
 */
export function expectAlike(path: string, embedded: TestResponse[], servers: TestResponse[]): void {
  expect(servers.slice(0, 1).map(withoutHits)).toEqual(embedded.slice(0, 1).map(withoutHits))
  if (embedded[0]?.status === 200) {
    expectRules(path, embedded.map(foundBy))
    expectRules(path, servers.map(foundBy))
    for (const [at, page] of servers.slice(0, embedded.length).entries()) {
      expectSameHits(embedded.map(foundBy)[at] ?? foundBy(page), foundBy(page))
    }
  }
}

/** A response without what depends on the choice of the hits; an error as it is. */
function withoutHits(response: TestResponse): unknown {
  const { status, headers, body } = comparable(response)
  if (status !== 200) {
    return { status, headers, body }
  }
  const { data: _data, pagination, facets = {}, ...others } = body as Found
  const { page, limit, ...totals } = pagination
  const { link: _link, ...sameHeaders } = headers
  return { status, sameHeaders, others, page, limit, totals: Object.keys(totals), facets: Object.keys(facets) }
}

/** What holds in each mode by itself. */
function expectRules(path: string, pages: Found[]): void {
  const hits = pages.flatMap(({ data }) => data)
  expect(new Set(hits.map(({ id }) => id)).size).toBe(hits.length)
  if (pages.length > 1) {
    expect(pages.map(({ pagination }) => pagination.total)).toEqual(pages.map(() => hits.length))
  }

  const parameters = new URL(path, 'http://catalog.example').searchParams
  const excluded = parseSearchText(parameters.get('q') ?? '').excluded.map(({ tokens }) => ` ${tokens.join(' ')} `)
  const unwanted = hits.filter(
    (hit) =>
      Object.entries(filters).some(([name, meets]) => parameters.getAll(name).some((value) => !meets(hit, value))) ||
      excluded.some((words) => wordLines(skillWords(hit)).includes(words)),
  )
  expect(unwanted).toEqual([])

  const sort = parameters.get('sort') ?? 'relevance'
  const order = parameters.get('order') ?? (sort === 'name' ? 'asc' : 'desc')
  const byRelevance = pages[0]?.mode === 'keyword' ? [placeOf, scoreOf] : [namePlaceOf, scoreOf]
  for (const value of sort === 'relevance' ? byRelevance : (orders[sort] ?? [])) {
    expect(hits.map(value)).toEqual(inOrder(hits.map(value), order === 'asc' ? 1 : -1))
  }
}

/** By the place in this list, hits are in descending order. */
const placeOf = ({ explanation }: Hit): number => placements.length - placements.indexOf(explanation.placement)

/** The same where the meaning joins in: below exact names there is one order, which the score expresses. */
const namePlaceOf = (hit: Hit): number => Math.max(placeOf(hit), placements.length - 2)

const scoreOf = ({ score }: Hit): number | null => score

/** The values by which hits are in order, other than by relevance. */
const orders: Record<string, ((hit: Hit) => string | number | null)[]> = {
  updated: [({ updatedAt }) => updatedAt],
  stars: [({ stars }) => stars],
  created: [({ createdAt }) => createdAt],
  name: [({ name }) => Buffer.from(foldLetters(name)).toString('hex')],
}

/** Missing values last. */
const inOrder = <T extends string | number>(values: (T | null)[], direction: 1 | -1): (T | null)[] => [
  ...values.filter((value) => value !== null).sort((a, b) => (a < b ? -direction : a > b ? direction : 0)),
  ...values.filter((value) => value === null),
]

const isEqual = (a: string | null, b: string): boolean => a?.toLowerCase() === b.trim().toLowerCase()

/** Whether a hit meets a filter. */
const filters: { [name in keyof FilterParameters]: (hit: Hit, value: string) => boolean } = {
  owner: ({ owner }, value) => isEqual(owner, value),
  topic: ({ topics }, value) => topics.some((topic) => isEqual(topic, value)),
  license: ({ license }, value) => isEqual(license, value),
  language: ({ language }, value) => isEqual(language, value),
  archived: ({ archived }, value) => String(archived) === value,
  minStars: ({ stars }, value) => stars !== null && stars >= Number(value),
  updatedSince: ({ updatedAt }, value) => Date.parse(updatedAt ?? '') >= Date.parse(value.replace(' ', '+')),
}

/** What holds between both modes, for one page. */
function expectSameHits(embedded: Found, servers: Found): void {
  const both = [embedded, servers]
  const records = new Map(embedded.data.map((hit) => [hit.id, recordOf(hit)]))
  const common = servers.data.filter(({ id }) => records.has(id))
  expect(common.map(recordOf)).toEqual(common.map(({ id }) => records.get(id)))

  // Those placed by a name: the same, in the same order but for ties of stars.
  expect(idsOf(servers, isNamed)).toEqual(idsOf(embedded, isNamed))
  expect(servers.data.filter(isNamed).map(placeAndStars)).toEqual(embedded.data.filter(isNamed).map(placeAndStars))

  const isSmall = both.every(({ pagination: { page, limit, total } }) => page === 1 && total <= limit)
  if (isSmall && !both.some(({ data }) => data.some(isGuessed))) {
    expect(idsOf(servers, isComplete)).toEqual(idsOf(embedded, isComplete))
  }
  if (isSmall && both.every(({ data }) => data.length === common.length)) {
    expect(servers.facets).toEqual(embedded.facets)
  }
}

const idsOf = ({ data }: Found, belongs: (hit: Hit) => boolean): string[] =>
  data
    .filter(belongs)
    .map(({ id }) => id)
    .sort()

/** All of a hit but what the words of the index decide: of hits with some of the words, the modes find others. */
const recordOf = ({ score: _score, explanation: _explanation, others: _others, ...record }: Hit): unknown =>
  comparableValue(record)

/** Whether a hit stands first by its name. */
const isNamed = ({ score, explanation: { placement } }: Hit): boolean =>
  score !== null && (placement === 'owner/repo' || placement === 'name')

const placeAndStars = (hit: Hit): unknown => [placeOf(hit), hit.stars]

const isComplete = ({ explanation }: Hit): boolean => !['some words', 'meaning'].includes(explanation.placement)

/** Whether a word of the query was completed or corrected. */
const isGuessed = ({ explanation }: Hit): boolean =>
  explanation.words.some(({ match }) => match?.kind === 'prefix' || match?.kind === 'typo')

/** The ids of the first hits of a search. */
export const firstHits = ([page]: TestResponse[], count: number): string[] =>
  page?.status === 200
    ? foundBy(page)
        .data.slice(0, count)
        .map(({ id }) => id)
    : []

/** The share of the first hits of a search that both modes have among them; null: neither has any. */
export function overlapOf(embedded: TestResponse[], servers: TestResponse[], count: number): number | null {
  const [ids, others] = [firstHits(embedded, count), firstHits(servers, count)]
  const shared = ids.filter((id) => others.includes(id)).length
  return ids.length + others.length === 0 ? null : shared / Math.max(ids.length, others.length)
}
