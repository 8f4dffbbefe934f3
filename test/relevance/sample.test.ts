import { expect, test } from '@jest/globals'
import { type ServerUrls, serveSample } from '../equality/two-modes.js'
import { whenServer } from '../support/servers.js'
import { readSkills, serviceEngines } from './engine.js'
import { fallenBelow, writeFloors } from './floors.js'
import { readJudged } from './judged.js'
import { measureSet } from './measure.js'
import { judgedMeasures } from './metrics.js'

test('embedded, no kind of query over the sample is answered worse than before', () => expectKept('embedded', null))

whenServer('mongodb', (mongodb) => {
  whenServer('meilisearch', (meilisearch) => {
    whenServer('redis', (redis) => {
      test(
        'on servers, no kind of query over the sample is answered worse than before',
        () => expectKept('servers', { mongodb: mongodb(), meilisearch: meilisearch(), redis: redis() }),
        120_000,
      )
    })
  })
})

/** Only kinds and numbers are shown: some of the queries are held out. */
async function expectKept(name: string, urls: ServerUrls | null): Promise<void> {
  const served = await serveSample(urls)
  try {
    const { sets } = readJudged(new Set((await readSkills(served.url)).map(({ id }) => id)))
    const queries = sets.flatMap((set) => set.queries)
    const set = { name: 'sample', heldOut: true, queries, measures: judgedMeasures, worstBy: 'nDCG@10' }
    const measured = await measureSet(set, serviceEngines(name, served.url), 1)

    if (process.env['WRITE_FLOORS'] === 'on') {
      writeFloors(measured)
    }
    expect(fallenBelow(measured)).toEqual([])
  } finally {
    await served.close()
  }
}
