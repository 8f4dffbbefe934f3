import { describe, expect, jest, test } from '@jest/globals'
import { rebuildIndex } from '../../services/indexer/jobs/rebuild-index.js'
import { reconcile } from '../../services/indexer/jobs/reconcile.js'
import { maxCharacters } from '../../shared/records/fields.js'
import { parseFound } from '../support/found-skills.js'
import { startTcpRelay } from '../support/relays.js'
import { whenServer } from '../support/servers.js'
import { expectInvariant } from './support/invariant.js'
import { crawledCatalog } from './support/own-catalog.js'

const minuteMs = 60_000

// A busy machine takes its time with a thousand documents.
jest.setTimeout(300_000)

/** Documents that a crawler writes at the same time. */
const documents = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ owner: 'acme', repo: `tool-${n}`, updatedAt: new Date() }))

/** Replaced with invalid UTF-8 bytes. */
const spoiltText = 'spoilt-utf8'

/** A piece of an answer with such bytes in their place. */
function withoutUtf8(chunk: Buffer): Buffer {
  const spoilt = Buffer.from(chunk)
  for (let at = spoilt.indexOf(spoiltText); at >= 0; at = spoilt.indexOf(spoiltText)) {
    spoilt.fill(0xff, at, at + spoiltText.length)
  }
  return spoilt
}

whenServer('mongodb', (mongodb) => {
  whenServer('meilisearch', (meilisearch) => {
    const open = () => crawledCatalog(mongodb(), meilisearch())

    describe('documents written into MongoDB', () => {
      test('28. Equal timestamps across page: all present', async () => {
        const { env, skills, sync } = await open()
        await skills.insertMany(documents(1_100))
        expect(await sync()).toMatchObject({ published: 1_100 })
        const updatedAt = new Date(Date.now() - minuteMs)
        await skills.updateMany({}, { $set: { stars: 1, updatedAt } })

        expect(await sync()).toMatchObject({ published: 1_100 })

        expect(await expectInvariant(env)).toMatchObject({ compared: 1_100 })
      })

      test('29. Late commit/±5 min skew: nothing is passed over', async () => {
        const { env, skills, sync } = await open()
        await skills.insertMany(documents(4))
        await sync()

        // By crawlers whose clocks are slow and fast.
        for (const skewMs of [-5 * minuteMs, 5 * minuteMs]) {
          const updatedAt = new Date(Date.now() + skewMs)
          await skills.updateOne({ repo: 'tool-1' }, { $set: { stars: skewMs, updatedAt } })
          await skills.insertOne({ owner: 'acme', repo: `skewed${skewMs}`, updatedAt })
          expect(await sync()).toMatchObject({ published: 2 })
        }

        expect(await expectInvariant(env)).toMatchObject({ compared: 6 })
      })

      test('31. Hard delete, no tombstone: removed', async () => {
        const {
          env,
          replicas: [index],
          skills,
          sync,
        } = await open()
        await skills.insertMany(documents(3))
        await sync()

        await skills.deleteOne({ repo: 'tool-1' })
        expect(await sync()).toMatchObject({ removed: 1 })

        expect((await index.list(null, 10, 'live')).map(({ id }) => id)).toEqual(['acme/tool-0', 'acme/tool-2'])
        await expectInvariant(env)
      })

      test('32. Delete + recreate in window: present', async () => {
        const { env, catalog, skills, sync } = await open()
        await skills.insertMany(documents(3))
        await sync()

        await skills.deleteOne({ repo: 'tool-1' })
        await skills.insertOne({ owner: 'Acme', repo: 'Tool-1', stars: 2, updatedAt: new Date() })
        expect(await sync()).toMatchObject({ published: 1, removed: 0 })

        expect(parseFound(await catalog.findSkill('acme/tool-1'))).toMatchObject({ skill: { owner: 'Acme', stars: 2 } })
        expect(await expectInvariant(env)).toMatchObject({ compared: 3 })
      })

      test('33. Poison doc among 1000: 999 indexed, one dead-lettered', async () => {
        const { env, catalog, skills, run, sync } = await open()
        await skills.insertMany([...documents(999), { owner: 'acme', repo: 'poisoned', state: 'odd' }])

        expect(await sync()).toMatchObject({ published: 999, rejected: 1 })

        expect(await catalog.listDeadLetters(null, 10)).toEqual([
          {
            id: 'acme/poisoned',
            reason: expect.stringContaining('state'),
            since: expect.any(String),
            source: 'document',
          },
        ])
        expect(await expectInvariant(env)).toMatchObject({ compared: 999, rejected: 1 })
        expect(await run(rebuildIndex)).toMatchObject({ documents: 999, rejected: 0 })
      })

      test('34. 15 MB doc: truncated or dead-lettered', async () => {
        const { env, catalog, skills, sync } = await open()
        const long = 'x'.repeat(15 * 1_024 * 1_024)
        await skills.insertMany([
          ...documents(3),
          { owner: 'acme', repo: 'described', description: long, updatedAt: new Date() },
        ])

        expect(await sync()).toMatchObject({ published: 4, rejected: 0 })

        const found = parseFound(await catalog.findSkill('acme/described'))
        expect(found).toMatchObject({ skill: { description: expect.stringMatching(/x…$/) } })
        expect(JSON.stringify(found).length).toBeLessThan(maxCharacters.description + 2_000)
        expect(await expectInvariant(env)).toMatchObject({ compared: 4, rejected: 0 })
      })

      test('35. Duplicate keys/ids: deterministic winner, alert', async () => {
        const {
          env,
          replicas: [index],
          catalog,
          skills,
          run,
          sync,
        } = await open()
        await skills.insertOne({ owner: 'Acme', repo: 'Tool', stars: 1 })
        await sync()
        const { insertedId } = await skills.insertOne({ owner: 'acme', repo: 'tool', stars: 2 })

        expect(await sync()).toMatchObject({ rejected: 1 })
        await run(reconcile)

        expect(await catalog.listDeadLetters(null, 10)).toMatchObject([
          {
            id: `acme/tool#${insertedId}`,
            reason: expect.stringMatching(/^id: another document is acme\/tool already/),
          },
        ])
        expect(parseFound(await catalog.findSkill('acme/tool'))).toMatchObject({ skill: { stars: 1 } })
        await expectInvariant(env)

        await skills.deleteOne({ _id: insertedId })
        await run(reconcile)
        expect(await catalog.listDeadLetters(null, 10)).toEqual([])
        expect((await index.list(null, 10, 'live')).map(({ id }) => id)).toEqual(['acme/tool'])
      })

      test('36. Lone surrogate/bad UTF-8/NUL/NaN: sanitised or dead-lettered', async () => {
        const relay = await startTcpRelay(mongodb())
        // The driver does not write such bytes; those of other languages do.
        relay.rewrite = withoutUtf8
        const { env, catalog, skills, sync } = await crawledCatalog(relay.url, meilisearch())
        await skills.insertMany([
          { owner: 'acme', repo: 'lone', description: 'half \ud83d of a pair' },
          { owner: 'acme', repo: 'spoilt', description: `some ${spoiltText} text`, updatedAt: spoiltText },
          { owner: 'acme', repo: 'nul', name: 'N\0UL', description: 'a\0b' },
          { owner: 'acme', repo: 'nan', stars: Number.NaN, forks: Number.POSITIVE_INFINITY },
          { owner: 'acme', repo: 'nul\0nul' },
          { owner: 'acme', repo: spoiltText },
        ])

        expect(await sync()).toMatchObject({ published: 5, rejected: 1 })

        const found = (
          await catalog.findSkills(['lone', 'spoilt', 'nul', 'nan', 'nulnul'].map((repo) => `acme/${repo}`))
        ).map((each) => Object(parseFound(each)).skill)
        expect(found).toMatchObject([
          { description: 'half \ufffd of a pair' },
          { description: expect.stringMatching(/^some \ufffd+ text$/) },
          { name: 'NUL', description: 'ab' },
          { stars: null, forks: null },
          { repo: 'nulnul' },
        ])
        expect(await catalog.listDeadLetters(null, 10)).toHaveLength(1)
        expect(await expectInvariant(env)).toMatchObject({ compared: 5, rejected: 1 })
      })
    })
  })
})
