import { describe, expect, test } from '@jest/globals'
import { boundWalk, emptyState, type Mirror, noCounts } from '../../services/indexer/mirror/mirror.js'
import { readChanges } from '../../services/indexer/mirror/read-changes.js'
import { SourceCatalog } from '../../services/indexer/mirror/source-catalog.js'
import { startRelay } from '../support/http-relay.js'
import { openJobBench } from '../support/job-bench.js'
import { makeSkills, startSource } from '../support/mirror.js'

describe('reading changes', () => {
  test('requests smaller pages when a thousand changes exceed the size limit', async () => {
    const source = await startSource(makeSkills(250))
    const relay = await startRelay(source.url)
    const { catalog, dataDir } = await openJobBench()
    const ignore = () => undefined
    const mirror: Mirror = {
      source: new SourceCatalog(relay.url, {
        signal: new AbortController().signal,
        report: ignore,
        maxResponseBytes: 100_000,
      }),
      catalog,
      folder: dataDir,
      publicKey: null,
      followsChanges: true,
      state: emptyState(relay.url),
      counts: noCounts(),
      display: { update: ignore, report: ignore },
    }

    await readChanges(mirror)

    expect(mirror.counts.published.skills).toBe(250)
    expect(relay.requests.map(({ path }) => path.replace(/.*limit=/, ''))).toEqual(['1000', '100', '100', '100'])
  })

  test('stops at a source without end', async () => {
    const source = new SourceCatalog('http://127.0.0.1:1', {
      signal: new AbortController().signal,
      report: () => undefined,
    })
    const bound = boundWalk(source, '/api/v1/changes')

    expect(() => {
      for (;;) {
        bound(0)
      }
    }).toThrow(expect.objectContaining({ code: 'source_not_understood' }))
  })
})
