import { isDeepStrictEqual } from 'node:util'
import { describe, expect, test } from '@jest/globals'
import { sendTo, type TestResponse } from '../support/test-app.js'
import { comparable } from './comparable.js'
import { obviousAnswers } from './requests/searches.js'
import { type SharedRequest, search } from './requests/shared-request.js'
import { requests } from './requests.js'
import { expectAlike, explained, firstHits, isSearch, overlapOf } from './search-rules.js'
import type { ServedMode } from './two-modes.js'

/** Numbers of first hits, and the least share of them that both modes have, a little below the measured 0.90 and 0.86. */
const leastOverlaps = [
  [3, 0.88],
  [10, 0.84],
] as const

/** Defines the tests of what both modes answer to the same requests. */
export function answers(modes: () => ServedMode[]): void {
  /** The responses of both modes. */
  const answersTo = async (request: SharedRequest): Promise<[TestResponse[], TestResponse[]]> => {
    const [embedded = [], servers = []] = await Promise.all(modes().map(({ url }) => pagesOf(url, request)))
    return [embedded, servers]
  }

  /** The answers to the searches. */
  const searched: [TestResponse[], TestResponse[]][] = []

  describe.each(Object.entries(requests))('both modes answer alike: %s', (_, shared) => {
    test.each(shared.map((request) => [titleOf(request), request] as const))('%s', async (_, request) => {
      const [embedded, servers] = await answersTo(request)

      if (isSearch(request.path)) {
        searched.push([embedded, servers])
        expectAlike(request.path, embedded, servers)
      } else {
        const [ofEmbedded, ofServers] = [embedded.map(comparable), servers.map(comparable)]
        // To find long answers equal, Jest takes many times as long.
        if (!isDeepStrictEqual(ofServers, ofEmbedded)) {
          expect(ofServers).toEqual(ofEmbedded)
        }
      }
    })
  })

  test.each(leastOverlaps)('the first %d hits of a search overlap by %d on average', (count, least) => {
    const overlaps = searched
      .map(([embedded, servers]) => overlapOf(embedded, servers, count))
      .filter((overlap) => overlap !== null)
    const mean = overlaps.reduce((sum, overlap) => sum + overlap, 0) / overlaps.length

    expect(mean).toBeGreaterThanOrEqual(least)
  })

  test.each(obviousAnswers)('the first hit of both modes for %s is %s', async (text, id) => {
    const answers = await answersTo({ method: 'GET', path: search('', text).join() })

    expect(answers.map((pages) => firstHits(pages, 1))).toEqual([[id], [id]])
  })
}

function titleOf({ method, path, headers = {} }: SharedRequest): string {
  return [method, path, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)].join(' ')
}

/** The response to a request, and those of the following pages where requested. */
async function pagesOf(url: string, { method, path, headers, follow }: SharedRequest): Promise<TestResponse[]> {
  const pages = [await sendTo(url, method, explained(path), headers)]
  for (let next = follow && nextOf(pages); next; next = nextOf(pages)) {
    pages.push(await sendTo(url, method, next, headers))
  }
  return pages
}

/** The target of `Link: …; rel="next"` of the last page. */
const nextOf = (pages: TestResponse[]): string | undefined =>
  /<([^>]+)>; rel="next"/.exec(String(pages.at(-1)?.headers['link']))?.[1]
