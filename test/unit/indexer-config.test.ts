import { describe, expect, test } from '@jest/globals'
import { readIndexerConfig } from '../../services/indexer/config.js'

describe('readIndexerConfig', () => {
  test('defaults: the sample is on and jobs have their own intervals', () => {
    const config = readIndexerConfig({})

    expect(config.sampleCatalog).toBe(true)
    expect(config.changesKeptDays).toBe(90)
    expect(new Set(Object.values(config.everySeconds))).toEqual(new Set([undefined]))
  })

  test('intervals are read for each job', () => {
    expect(readIndexerConfig({ SYNC_EVERY_SECONDS: '5', SAMPLE_CATALOG: 'off' })).toMatchObject({
      sampleCatalog: false,
      everySeconds: { ingest: 5 },
    })
  })

  test('every invalid variable is listed', () => {
    expect(() =>
      readIndexerConfig({ SYNC_EVERY_SECONDS: '0', STATS_EVERY_SECONDS: 'soon', SAMPLE_CATALOG: 'yes' }),
    ).toThrow(/SAMPLE_CATALOG[\s\S]*SYNC_EVERY_SECONDS[\s\S]*STATS_EVERY_SECONDS/)
  })
})
