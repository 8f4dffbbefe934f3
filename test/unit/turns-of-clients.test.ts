import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Backends, type BackendsFor, guardBackends } from '../../services/query/observability/backends.js'
import { openEmbedded } from '../../shared/adapters/embedded/open-embedded.js'
import type { Stores } from '../../shared/adapters/stores.js'
import { aQuery, aSkill } from '../support/factories.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { silentLog } from '../support/test-log.js'
import { endedBeforeAnother } from '../support/turns.js'

let stores: Stores
let backendsFor: BackendsFor
beforeAll(async () => {
  stores = await openEmbedded(temporaryFolder(), { threads: true, searchThreads: 1, log: silentLog() })
  backendsFor = guardBackends(stores, { log: silentLog(), clock: Date.now })
  // A thread that has not started yet would keep all calls waiting for longer than they may.
  await stores.changes.after(0, 1)
})
afterAll(() => stores.close())

const calls: Record<string, (number: number, backends: Backends) => Promise<unknown>> = {
  searches: (number, { index }) => index.search(aQuery(`pdf ${number}`)),
  suggestions: (number, { index }) => index.suggest(`pdf ${number}`, 5),
  'related skills': (number, { index }) => index.related(`acme/pdf-${number}`, 5),
  'skills by id': (number, { catalog }) => catalog.findSkills([`acme/pdf-${number}`]),
  'near matches': (number, { catalog }) => catalog.nearMatches(`acme/pdf-${number}`, 5),
  'pages by number': (number, { catalog }) =>
    catalog.listSkills({ filters: {}, sort: 'stars', order: 'desc', limit: 20, offset: 20 + number }),
  histories: (number, { catalog }) => catalog.readHistories([`acme/pdf-${number}`]),
  texts: (number, { catalog }) => catalog.readWholeTexts([{ id: `acme/pdf-${number}`, digest: null }], everyText),
  passages: (number, { catalog }) => catalog.findPassages([{ id: `acme/pdf-${number}`, digest: null, stems: ['pdf'] }]),
  changes: (number, { changes }) => changes.after(number, 10),
  'latest changes': (_, { changes }) => changes.latest(10),
  'changes by id': (number, { changes }) => changes.entriesOf([`acme/pdf-${number}`]),
}

const everyText = { maxBytes: Number.POSITIVE_INFINITY, soleOnly: false }

test.each(Object.entries(calls))('clients take turns: %s', async (_, call) => {
  const running = 1

  expect(await endedBeforeAnother(20, (number, client) => call(number, backendsFor(client)))).toBeLessThanOrEqual(
    running + 1,
  )
})

test('a read by key waits for no other call', async () => {
  const busy = backendsFor('busy')
  const searches = Array.from({ length: 5 }, (_, number) => busy.index.search(aQuery(`pdf ${number}`)))
  let ended = 0
  for (const search of searches) {
    void search.then(() => {
      ended += 1
    })
  }

  await busy.catalog.findSkill('acme/pdf')

  expect(ended).toBe(0)
  await Promise.all(searches)
})

test('the version of lists waits for no turn', async () => {
  const unread = { ...stores.catalog, findSkill: () => new Promise<never>(() => {}) }
  const callsAtOnce = { ...stores.callsAtOnce, byKey: 1 }
  const { catalog } = guardBackends(
    { ...stores, catalog: unread, callsAtOnce },
    { log: silentLog(), clock: Date.now },
  )('busy')
  void catalog.findSkill('acme/pdf').catch(() => undefined)

  expect(await catalog.listVersion()).toBe(await stores.catalog.listVersion())
})

test('a client does not wait for writes', async () => {
  const skills = Array.from({ length: stores.catalog.recordsPerPut }, (_, n) => aSkill({ repo: `written-${n}` }))
  let isWritten = false
  const writing = stores.catalog.put('skills', skills).then(() => {
    isWritten = true
  })

  expect(await backendsFor('a').catalog.readWholeTexts([{ id: 'acme/pdf', digest: null }], everyText)).toEqual(
    new Map(),
  )
  expect(isWritten).toBe(false)
  await writing
})
