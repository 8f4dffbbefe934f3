import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { whenServer } from '../support/servers.js'
import { sendTo, type TestResponse } from '../support/test-app.js'
import { recordsWith } from './catalog.js'
import { comparable } from './comparable.js'
import { type KnownDifference, knownDifferences } from './known-differences.js'
import type { SharedRequest } from './requests/shared-request.js'
import { requests } from './requests.js'
import { type ServedMode, serveEmbedded, serveServers } from './two-modes.js'

whenServer('mongodb', (mongodb) => {
  whenServer('meilisearch', (meilisearch) => {
    whenServer('redis', (redis) => {
      let embedded: ServedMode
      let servers: ServedMode
      beforeAll(async () => {
        // More than one page of results has, and than the 1,000 that Meilisearch counts to.
        const records = recordsWith(2_500)
        embedded = await serveEmbedded(records)
        servers = await serveServers({ mongodb: mongodb(), meilisearch: meilisearch(), redis: redis() }, records)
      }, 300_000)
      afterAll(async () => {
        await embedded?.close()
        await servers?.close()
      })

      describe.each(Object.entries(requests))('both modes return the same: %s', (_, shared) => {
        test.each(shared.map((request) => [titleOf(request), request] as const))('%s', async (_, request) => {
          const [ofEmbedded, ofServers] = await Promise.all([answersTo(embedded, request), answersTo(servers, request)])

          const { alike } = knownDifferences.get(request.path) ?? entirely
          expect(ofServers.map(comparable).map(alike)).toEqual(ofEmbedded.map(comparable).map(alike))
        })
      })
    })
  })
})

function titleOf({ method, path, headers = {} }: SharedRequest): string {
  return [method, path, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)].join(' ')
}

const entirely: Pick<KnownDifference, 'alike'> = { alike: (answer) => answer }

/** The response to a request, and those of the following pages where requested. */
async function answersTo(
  { url }: ServedMode,
  { method, path, headers, follow }: SharedRequest,
): Promise<TestResponse[]> {
  const answers = [await sendTo(url, method, path, headers)]
  for (let next = follow && nextOf(answers); next; next = nextOf(answers)) {
    answers.push(await sendTo(url, method, next, headers))
  }
  return answers
}

/** The target of `Link: …; rel="next"` of the last response. */
const nextOf = (answers: TestResponse[]): string | undefined =>
  /<([^>]+)>; rel="next"/.exec(String(answers.at(-1)?.headers['link']))?.[1]
