import { describe, expect, test } from '@jest/globals'
import { boundWalk } from '../../services/indexer/mirror/mirror.js'
import { readChanges } from '../../services/indexer/mirror/read-changes.js'
import { makeSkills } from '../support/factories.js'
import { startRelay } from '../support/http-relay.js'
import { openMirror, startSource } from '../support/mirror.js'

describe('reading changes', () => {
  test('requests smaller pages when a thousand changes exceed the size limit', async () => {
    const source = await startSource(makeSkills(250))
    const relay = await startRelay(source.url)
    const mirror = await openMirror(relay.url, { maxResponseBytes: 100_000 })

    await readChanges(mirror)

    expect(mirror.counts.published.skills).toBe(250)
    expect(relay.requests.map(({ path }) => path.replace(/.*limit=/, ''))).toEqual(['1000', '100', '100', '100'])
  })

  test('stops at a source without end', async () => {
    const { source } = await openMirror('http://127.0.0.1:1')
    const bound = boundWalk(source, '/api/v1/changes')

    expect(() => {
      for (;;) {
        bound(0)
      }
    }).toThrow(expect.objectContaining({ code: 'source_not_understood' }))
  })
})
