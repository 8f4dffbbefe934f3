import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import {
  type Backends,
  type BackendsFor,
  Dependency,
  guardBackends,
} from '../../services/query/observability/backends.js'
import { problemError } from '../../services/query/request/problems.js'
import { openEmbedded } from '../../shared/adapters/embedded/open-embedded.js'
import type { Stores } from '../../shared/adapters/stores.js'
import { AppError, queryTimeout, unavailable } from '../../shared/runtime/errors.js'
import { aQuery, aSkill } from '../support/factories.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { startTestApp } from '../support/test-app.js'
import { keptLog, silentLog } from '../support/test-log.js'
import { withOverrides } from '../support/with-overrides.js'

/**
 * Makes many calls for one client, then one for another.
 *
 * @param call makes the call with this number
 * @returns how many of the calls of the busy client ended before that of the other one
 */
async function endedBeforeAnother(
  calls: number,
  call: (number: number, client: string) => Promise<unknown>,
): Promise<number> {
  let ended = 0
  const all = Array.from({ length: calls }, async (_, number) => {
    await call(number, 'busy')
    ended += 1
  })
  const another = call(calls, 'another').then(() => ended)
  await Promise.all([another, ...all])
  return another
}

function aDependency(timeLimitMs = 1_000) {
  const { log, lines } = keptLog()
  const clock = { nowMs: 0 }
  const dependency = new Dependency({
    name: 'catalog',
    code: 'catalog_unavailable',
    log,
    timeLimitMs,
    clock: () => clock.nowMs,
  })
  return { dependency, clock, messages: () => lines.map(({ msg }) => msg) }
}

const fail = (error: Error) => async () => {
  throw error
}

describe('dependency', () => {
  test.each<[error: Error, answered: object]>([
    [
      new Error('SQLITE_IOERR at /srv/data'),
      { status: 503, code: 'catalog_unavailable', message: 'The catalog is unavailable. Try again in 5 s.' },
    ],
    // Of an operator, which is not sent to the client.
    [
      new AppError(500, 'disk_full', 'make room on /srv'),
      { status: 503, code: 'catalog_unavailable', message: 'The catalog is unavailable. Try again in 5 s.' },
    ],
    [unavailable('catalog_unavailable', 'Later.', 9), { message: 'Later.', headers: { 'Retry-After': '9' } }],
  ])('an outage is a 503 without internals: %s', async (error, answered) => {
    const { dependency, messages } = aDependency()
    const failed = dependency.call(fail(error))

    await expect(failed).rejects.toMatchObject({ headers: { 'Retry-After': '5' }, ...answered })
    await expect(failed).rejects.toBeInstanceOf(AppError)
    expect(messages()).toEqual(['dependency unavailable'])
  })

  test.each([queryTimeout('Ask for less.'), problemError('skill_unknown', 'No such skill.')])(
    'what is no outage passes as it is, and is not logged: %s',
    async (error) => {
      const { dependency, messages } = aDependency()

      await expect(dependency.call(fail(error))).rejects.toBe(error)
      expect(messages()).toEqual([])
    },
  )

  test('a call that never ends times out, and its late result is dropped', async () => {
    const { dependency } = aDependency(20)
    let end: (value: string) => void = () => {}
    const dropped: string[] = []
    const asked = dependency.call(
      () => new Promise<string>((resolve) => (end = resolve)),
      (late) => dropped.push(late),
    )

    await expect(asked).rejects.toMatchObject({ status: 503 })
    end('too late')
    await new Promise(setImmediate)
    expect(dropped).toEqual(['too late'])
  })

  test('a result in time is not dropped', async () => {
    const { dependency } = aDependency()
    const dropped: string[] = []

    await dependency.call(
      async () => 'in time',
      (late) => dropped.push(late),
    )

    expect(dropped).toEqual([])
  })

  test('an outage is logged once, and its end once when calls have succeeded for a while', async () => {
    const { dependency, clock, messages } = aDependency()
    for (let call = 0; call < 20; call += 1) {
      await expect(dependency.call(fail(new Error('gone')))).rejects.toMatchObject({ status: 503 })
    }
    expect(messages()).toEqual(['dependency unavailable'])

    await dependency.call(async () => 'lucky')
    expect(messages()).toEqual(['dependency unavailable'])
    clock.nowMs += 30_000
    await dependency.call(async () => 'back')
    await dependency.call(async () => 'back')

    expect(messages()).toEqual(['dependency unavailable', 'dependency recovered'])
  })
})

describe('turns of clients', () => {
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
    passages: (number, { catalog }) =>
      catalog.findPassages([{ id: `acme/pdf-${number}`, digest: null, stems: ['pdf'] }]),
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

  test('an empty index of a catalog with many skills finds nothing since it is being built, and says so', async () => {
    const none = { hits: [], total: 0, totalIsLowerBound: false, facets: {}, byMeaning: false }
    const answers = async (documents: number, skills: number) => {
      const page = { skills: [], total: skills, totalIsLowerBound: false, next: null }
      const catalog = withOverrides(stores.catalog, { listSkills: async () => page })
      const index = withOverrides(stores.index, {
        search: async () => none,
        suggest: async () => [],
        status: async () => ({ documents, settings: '' }),
      })
      const options = { log: silentLog(), clock: Date.now }
      const { index: guarded } = guardBackends({ ...stores, catalog, index }, options)('client')
      const total = await guarded.search(aQuery('pdf')).then((found) => found.total, String)
      return [total, await guarded.suggest('pdf', 5).then((found) => found.length, String)]
    }
    const isBuilt = expect.stringContaining('The search index is being built.')

    expect(await answers(0, 1_001)).toEqual([isBuilt, isBuilt])
    expect(await answers(1, 1_001)).toEqual([0, 0])
    // They are there in a moment.
    expect(await answers(0, 1_000)).toEqual([0, 0])
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
})

test('clients take turns as they are counted: an IPv6 network is one client', async () => {
  const begun: string[] = []
  let endOne = () => {}
  const { get } = await startTestApp({
    sample: true,
    config: { trustedProxies: 1 },
    replace: ({ index, callsAtOnce }) => ({
      callsAtOnce: { ...callsAtOnce, searches: 1 },
      index: {
        ...index,
        search: async (query) => {
          begun.push(query.text)
          await new Promise<void>((resolve) => {
            endOne = resolve
          })
          return index.search(query)
        },
      },
    }),
  })
  const sent = [
    ['a1', '2001:db8::1'],
    ['a2', '2001:db8::2'],
    ['a3', '2001:db8::3'],
    ['b1', '192.0.2.7'],
  ]
  const answers: Promise<unknown>[] = []
  for (const [text, address = ''] of sent) {
    answers.push(get(`/api/v1/skills/search?q=${text}`, { 'X-Forwarded-For': address }))
    // So that they wait in this order.
    await sleep(30)
  }
  for (let ended = 1; ended <= sent.length; ended += 1) {
    endOne()
    await sleep(30)
  }

  await Promise.all(answers)
  expect(begun).toEqual(['a1', 'a2', 'b1', 'a3'])
})
