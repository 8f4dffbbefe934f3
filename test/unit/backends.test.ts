import { expect, test } from '@jest/globals'
import { type Backends, guardBackends } from '../../services/query/observability/backends.js'
import { Client, clientOf } from '../../shared/ports/rate-limiter.js'
import { aQuery } from '../support/factories.js'
import { startTestApp } from '../support/test-app.js'
import { silentLog } from '../support/test-log.js'

/** A port whose every method notes the client of its call. */
const noting = (calls: (string | undefined)[]) =>
  new Proxy({} as never, {
    get:
      () =>
      (...args: unknown[]) => {
        calls.push(clientOf(args)?.key)
        return Promise.resolve()
      },
  })

/** Every call that waits for its turn. */
const read = ({ catalog, index, changes }: Backends) =>
  Promise.all([
    catalog.listSkills({ filters: {}, sort: 'stars', order: 'desc', limit: 20 }),
    catalog.findSkill('acme/pdf'),
    catalog.findSkills(['acme/pdf']),
    catalog.nearMatches('acme/pdf', 5),
    catalog.readHistories(['acme/pdf']),
    catalog.readState('stats'),
    index.search(aQuery('pdf')),
    index.suggest('pdf', 5),
    index.related('acme/pdf', 5),
    changes.after(0, 10),
  ])

test('all calls of a request are made for its client, and those of the service for none', async () => {
  const calls: (string | undefined)[] = []
  const port = noting(calls)
  const backendsFor = guardBackends(
    { catalog: port, index: port, changes: port, exports: port, datasets: port },
    { log: silentLog(), clock: Date.now },
  )

  await read(backendsFor(new Client('one')))
  await read(backendsFor(new Client('another')))
  await read(backendsFor())

  expect(calls).toEqual([...Array(10).fill('one'), ...Array(10).fill('another'), ...Array(10).fill(undefined)])
})

test('a request is answered for the client that is counted', async () => {
  const calls: (string | undefined)[] = []
  const { get } = await startTestApp({
    sample: true,
    config: { trustedProxies: 1 },
    replace: ({ index }) => ({
      index: {
        ...index,
        search: (query, client) => {
          calls.push(client?.key)
          return index.search(query, client)
        },
      },
    }),
  })

  await get('/api/v1/skills/search?q=pdf', { 'X-Forwarded-For': '192.0.2.7' })
  await get('/api/v1/skills/search?q=pdf', { 'X-Forwarded-For': '2001:db8::7' })

  expect(calls).toEqual(['192.0.2.7', '2001:db8:0:0::/64'])
})
