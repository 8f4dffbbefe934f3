import { expect, test } from '@jest/globals'
import { type ServerUrls, serveSample } from '../equality/two-modes.js'
import { whenServer } from '../support/servers.js'
import { readSkills, serviceEngines } from './engine.js'
import { readJudged } from './judged.js'
import { fallenBelow, keepScores, scoreAll } from './kept-scores.js'
import { makeKnownItems } from './known-items.js'

/** Of the known items and of intervals; another one makes other queries. */
const seed = 1

/** Known items of a kind. */
const perKind = 30

test('embedded, no kind of query over the sample is answered worse than before', () => expectKept('embedded', null))

whenServer('mongodb', (mongodb) => {
  whenServer('meilisearch', (meilisearch) => {
    whenServer('redis', (redis) => {
      test(
        'on servers, no kind of query over the sample is answered worse than before',
        () => expectKept('servers', { mongodb: mongodb(), meilisearch: meilisearch(), redis: redis() }),
        // More than a thousand searches, next to other tests that keep all processors busy.
        300_000,
      )
    })
  })
})

/** Only kinds and numbers are shown: some of the queries are held out. */
async function expectKept(name: string, urls: ServerUrls | null): Promise<void> {
  const served = await serveSample(urls)
  try {
    const skills = await readSkills(served.url)
    const { sets } = readJudged(new Set(skills.map(({ id }) => id)))
    const knownItems = makeKnownItems(skills, seed, perKind).map((query) => ({
      ...query,
      kind: `known: ${query.kind}`,
    }))
    const queries = [...sets.flatMap((set) => set.queries), ...knownItems]
    const scores = await scoreAll(queries, serviceEngines(name, served.url))

    if (process.env['WRITE_SCORES'] === 'on') {
      keepScores(scores)
    }
    expect(fallenBelow(queries, scores, seed)).toEqual([])
  } finally {
    await served.close()
  }
}
