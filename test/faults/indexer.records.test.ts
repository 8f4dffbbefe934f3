import { describe, expect, jest, test } from '@jest/globals'
import { rebuildIndex } from '../../services/indexer/jobs/rebuild-index.js'
import { syncSkills } from '../../services/indexer/jobs/sync-skills.js'
import { verifyIndex } from '../../services/indexer/jobs/verify-index.js'
import { longestDescription } from '../../shared/records/fields.js'
import { startTcpRelay } from '../support/own-tcp-relay.js'
import { whenServer } from '../support/servers.js'
import { crawledCatalog } from './support/crawled-catalog.js'
import { expectInvariant } from './support/invariant.js'

const minuteMs = 60_000

// A busy machine takes its time with a thousand documents.
jest.setTimeout(300_000)

/** Documents as a crawler writes them, written at one moment. */
const documents = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ owner: 'acme', repo: `tool-${n}`, updatedAt: new Date() }))

/** Stands for bytes that are no UTF-8. */
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

    describe('what is written into MongoDB', () => {
      test('28. Equal timestamps across page: all present', async () => {
        const { env, catalog, skills, run } = await open()
        await skills.insertMany(documents(1_100))
        // Taken in, as if all at once.
        await catalog.changesAfter(null, 1)
        await skills.updateMany({}, { $set: { '_catalog.changedAt': new Date(Date.now() - minuteMs) } })

        expect(await run(syncSkills)).toMatchObject({ published: 1_100 })

        expect(await expectInvariant(env)).toMatchObject({ compared: 1_100 })
      })

      test('29. Late commit/±5 min skew: caught by overlap', async () => {
        const { env, skills, run } = await open()
        await skills.insertMany(documents(4))
        await run(syncSkills)
        const own = (await skills.findOne({ repo: 'tool-0' }))?.['_catalog']

        // Noted a second before the newest change that was told, and visible only now.
        const noted = new Date(own.changedAt.getTime() - 1_000)
        await skills.updateOne(
          { repo: 'tool-0' },
          { $set: { stars: 1, '_catalog.changedAt': noted, '_catalog.hash': 'another' } },
        )
        expect(await run(syncSkills)).toMatchObject({ published: 1 })
        // By crawlers whose clocks are behind and ahead.
        for (const skewMs of [-5 * minuteMs, 5 * minuteMs]) {
          const updatedAt = new Date(Date.now() + skewMs)
          await skills.updateOne({ repo: 'tool-1' }, { $set: { stars: skewMs, updatedAt } })
          await skills.insertOne({ owner: 'acme', repo: `skewed${skewMs}`, updatedAt })
          expect(await run(syncSkills)).toMatchObject({ published: 2 })
        }

        expect(await expectInvariant(env)).toMatchObject({ compared: 6 })
      })

      test('31. Hard delete, no tombstone: diff removes', async () => {
        const { env, index, skills, run } = await open()
        await skills.insertMany(documents(3))
        await run(syncSkills)

        await skills.deleteOne({ repo: 'tool-1' })
        expect(await run(syncSkills)).toMatchObject({ removed: 0 })
        expect(await run(verifyIndex)).toMatchObject({ extra: 1, mended: 1 })

        expect((await index.list(null, 10)).map(({ id }) => id)).toEqual(['acme/tool-0', 'acme/tool-2'])
        await expectInvariant(env)
      })

      test('32. Delete + recreate in window: present', async () => {
        const { env, catalog, skills, run } = await open()
        await skills.insertMany(documents(3))
        await run(syncSkills)

        await skills.deleteOne({ repo: 'tool-1' })
        await skills.insertOne({ owner: 'Acme', repo: 'Tool-1', stars: 2, updatedAt: new Date() })
        expect(await run(syncSkills)).toMatchObject({ published: 1, removed: 0 })

        expect(await catalog.findSkill('acme/tool-1')).toMatchObject({ skill: { owner: 'Acme', stars: 2 } })
        expect(await expectInvariant(env)).toMatchObject({ compared: 3 })
      })

      test('33. Poison doc among 1000: 999 indexed, one dead-lettered', async () => {
        const { env, catalog, skills, run } = await open()
        await skills.insertMany([...documents(999), { owner: 'acme', repo: 'poisoned', state: 'draft' }])

        expect(await run(syncSkills)).toMatchObject({ published: 999, rejected: 1 })

        expect(await catalog.listDeadLetters(null, 10)).toEqual([
          { id: 'acme/poisoned', reason: expect.stringContaining('state'), since: expect.any(String) },
        ])
        expect(await expectInvariant(env)).toMatchObject({ compared: 1_000, rejected: 1 })
        expect(await run(rebuildIndex)).toMatchObject({ documents: 999, rejected: 1 })
      })

      test('34. 15 MB doc: truncated or dead-lettered', async () => {
        const { env, catalog, skills, run } = await open()
        const long = 'x'.repeat(15 * 1_024 * 1_024)
        await skills.insertMany([
          ...documents(3),
          { owner: 'acme', repo: 'described', description: long, updatedAt: new Date() },
        ])

        expect(await run(syncSkills)).toMatchObject({ published: 4, rejected: 0 })

        const found = await catalog.findSkill('acme/described')
        expect(found).toMatchObject({ skill: { description: expect.stringMatching(/x…$/) } })
        expect(JSON.stringify(found).length).toBeLessThan(longestDescription + 2_000)
        expect(await expectInvariant(env)).toMatchObject({ compared: 4, rejected: 0 })
      })

      test('35. Duplicate keys/ids: deterministic winner, alert', async () => {
        const { env, index, catalog, skills, run } = await open()
        await skills.insertOne({ owner: 'Acme', repo: 'Tool', stars: 1 })
        await run(syncSkills)
        const { insertedId } = await skills.insertOne({ owner: 'acme', repo: 'tool', stars: 2 })

        expect(await run(syncSkills)).toMatchObject({ rejected: 1 })
        await run(verifyIndex)

        expect(await catalog.listDeadLetters(null, 10)).toMatchObject([
          { id: `acme/tool#${insertedId}`, reason: 'id: another document is acme/tool already' },
        ])
        expect(await catalog.findSkill('acme/tool')).toMatchObject({ skill: { stars: 1 } })
        await expectInvariant(env)

        await skills.deleteOne({ _id: insertedId })
        await run(verifyIndex)
        expect(await catalog.listDeadLetters(null, 10)).toEqual([])
        expect((await index.list(null, 10)).map(({ id }) => id)).toEqual(['acme/tool'])
      })

      test('36. Lone surrogate/bad UTF-8/NUL/NaN: sanitised or dead-lettered', async () => {
        const relay = await startTcpRelay(mongodb())
        // No driver of ours writes such bytes; others do.
        relay.rewrite = withoutUtf8
        const { env, catalog, skills, run } = await crawledCatalog(relay.url, meilisearch())
        await skills.insertMany([
          { owner: 'acme', repo: 'lone', description: 'half \ud83d of a pair' },
          { owner: 'acme', repo: 'spoilt', description: `some ${spoiltText} text`, updatedAt: spoiltText },
          { owner: 'acme', repo: 'nul', name: 'N\0UL', description: 'a\0b' },
          { owner: 'acme', repo: 'nan', stars: Number.NaN, forks: Number.POSITIVE_INFINITY },
          { owner: 'acme', repo: 'nul\0nul' },
          { owner: 'acme', repo: spoiltText },
        ])

        expect(await run(syncSkills)).toMatchObject({ published: 4, rejected: 2 })

        const found = (await catalog.findSkills(['lone', 'spoilt', 'nul', 'nan'].map((repo) => `acme/${repo}`))).map(
          (each) => Object(each).skill,
        )
        expect(found).toMatchObject([
          { description: 'half \ufffd of a pair' },
          { description: expect.stringMatching(/^some \ufffd+ text$/) },
          { name: 'NUL', description: 'ab' },
          { stars: null, forks: null },
        ])
        expect(await catalog.listDeadLetters(null, 10)).toHaveLength(2)
        expect(await expectInvariant(env)).toMatchObject({ compared: 6, rejected: 2 })
      })
    })
  })
})
