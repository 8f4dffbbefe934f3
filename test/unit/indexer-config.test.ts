import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { readIndexerConfig } from '../../services/indexer/config.js'
import { readStandaloneConfig, searchThreads } from '../../services/standalone/config.js'
import { newMinisignKey } from '../support/minisign-key.js'
import { temporaryFolder } from '../support/temporary-folder.js'

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

  test('a signing key is read from its file, and a bad one is refused with the reason', () => {
    const { secretKeyFile, publicKeyFile, publicKey } = newMinisignKey()
    const file = join(temporaryFolder(), 'key')
    writeFileSync(file, secretKeyFile)
    expect(readIndexerConfig({ SIGNING_KEY_FILE: file }).signer?.publicKey).toBe(publicKey)
    expect(readIndexerConfig({}).signer).toBeUndefined()

    writeFileSync(file, publicKeyFile)
    expect(() => readIndexerConfig({ SIGNING_KEY_FILE: file })).toThrow(
      /SIGNING_KEY_FILE: .* must name a secret key file that minisign -G -W has made: it is no secret key of minisign/,
    )
    expect(() => readIndexerConfig({ SIGNING_KEY_FILE: '/no/such/file' })).toThrow(/has made: there is no such file$/)
    expect(() => readIndexerConfig({ SIGNING_KEY_FILE: '/' })).toThrow(/has made: it is a folder$/)
  })

  test('every invalid variable is listed', () => {
    expect(() =>
      readIndexerConfig({ SYNC_EVERY_SECONDS: '0', STATS_EVERY_SECONDS: 'soon', SAMPLE_CATALOG: 'yes' }),
    ).toThrow(/SAMPLE_CATALOG[\s\S]*SYNC_EVERY_SECONDS[\s\S]*STATS_EVERY_SECONDS/)
  })
})

test('every bad variable of both services is named', () => {
  expect(() => readStandaloneConfig({ METRICS_PORT: 'x', PORT: 'x' })).toThrow(/PORT: [\s\S]*METRICS_PORT: "x" must be/)
})

test('search threads: one for each core, from two to eight', () => {
  expect([1, 2, 3, 8, 64].map(searchThreads)).toEqual([2, 2, 3, 8, 8])
})
