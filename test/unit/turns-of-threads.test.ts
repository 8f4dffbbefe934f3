import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { openEmbedded } from '../../shared/adapters/embedded/open-embedded.js'
import type { Stores } from '../../shared/adapters/stores.js'
import { Client } from '../../shared/ports/rate-limiter.js'
import { aQuery, aSkill } from '../support/factories.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { silentLog } from '../support/test-log.js'
import { endedBeforeAnother } from '../support/turns.js'

let stores: Stores
beforeAll(async () => {
  stores = await openEmbedded(temporaryFolder(), { threads: true, searchThreads: 1, log: silentLog() })
  // A thread that has not started yet would keep all calls waiting for longer than they may.
  await stores.changes.after(0, 1)
})
afterAll(() => stores.close())

const calls: Record<string, (number: number, client: Client) => Promise<unknown>> = {
  searches: (number, client) => stores.index.search(aQuery(`pdf ${number}`), client),
  suggestions: (number, client) => stores.index.suggest(`pdf ${number}`, 5, client),
  'related skills': (number, client) => stores.index.related(`acme/pdf-${number}`, 5, client),
  'skills by id': (number, client) => stores.catalog.findSkills([`acme/pdf-${number}`], client),
  'near matches': (number, client) => stores.catalog.nearMatches(`acme/pdf-${number}`, 5, client),
  'pages by number': (number, client) =>
    stores.catalog.listSkills({ filters: {}, sort: 'stars', order: 'desc', limit: 20, offset: 20 + number }, client),
  histories: (number, client) => stores.catalog.readHistories([`acme/pdf-${number}`], client),
  texts: (number, client) => stores.catalog.readTexts([{ id: `acme/pdf-${number}`, digest: null }], client),
  changes: (number, client) => stores.changes.after(number, 10, client),
}

test.each(Object.entries(calls))('clients take turns at the threads: %s', async (_, call) => {
  const running = 1

  expect(await endedBeforeAnother(20, call)).toBeLessThanOrEqual(running + 1)
})

test('a client does not wait for writes, also where jobs read the same', async () => {
  const skills = Array.from({ length: stores.catalog.recordsPerPut }, (_, n) => aSkill({ repo: `written-${n}` }))
  let isWritten = false
  const writing = stores.catalog.put('skills', skills).then(() => {
    isWritten = true
  })

  expect(await stores.catalog.readTexts([{ id: 'acme/pdf', digest: null }], new Client('a'))).toEqual(new Map())
  expect(isWritten).toBe(false)
  await writing
})
