import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from '@jest/globals'
import { Meilisearch } from 'meilisearch'
import { type Document, MongoClient } from 'mongodb'
import { afterTest } from '../support/after-test.js'
import { runCatalogOn } from '../support/catalog-command.js'
import { startOwnRedis, testWithOwnRedis } from '../support/own-servers.js'
import { meiliKey, whenServer } from '../support/servers.js'
import { emptyCatalog } from '../support/servers-catalog.js'
import { serviceStart, started } from '../support/service-process.js'
import { expectInvariant } from './support/invariant.js'

const hourMs = 3_600_000

/** How another application may write the time of writing, given in milliseconds since 1970. */
const forms: [string, (ms: number) => unknown][] = [
  ['date', (ms) => new Date(ms)],
  ['text', (ms) => new Date(ms).toISOString()],
  ['spaced-text', (ms) => new Date(ms).toISOString().replace('T', ' ').replace('Z', '+00:00')],
  ['seconds', (ms) => Math.floor(ms / 1_000)],
  ['milliseconds', (ms) => ms],
  ['seconds-in-text', (ms) => String(Math.floor(ms / 1_000))],
  ['milliseconds-in-text', (ms) => String(ms)],
  ['behind-utc', (ms) => new Date(ms - 5 * hourMs).toISOString().replace('Z', '-05:00')],
  ['ahead-of-utc', (ms) => new Date(ms + 2 * hourMs).toISOString().replace('Z', '+0200')],
  ['rfc-2822', (ms) => new Date(ms).toUTCString()],
  ['future', (ms) => new Date(ms + 8_760 * hourMs)],
]

whenServer('mongodb', (mongodb) => {
  whenServer('meilisearch', (meilisearch) => {
    testWithOwnRedis(
      'writes of other applications are found in every form, while two indexers run',
      async () => {
        const env = await emptyCatalog(mongodb(), meilisearch(), (await startOwnRedis()).url)
        const client = await MongoClient.connect(env.MONGODB_URL)
        afterTest(() => client.close())
        const skills = client.db().collection('skills')
        await Promise.all([serviceStart('indexer', env), serviceStart('indexer', env)].map(started))
        const index = new Meilisearch({ host: meilisearch(), apiKey: meiliKey }).index('skills')
        /** What is expected in the index: stars by repository. */
        const stars = new Map<string, number>()
        async function untilIndexed(): Promise<void> {
          const expected = [...stars].map(([repo, count]) => `acme/${repo} ${count}`).sort()
          for (let held: string[] = []; held.join() !== expected.join(); await sleep(200)) {
            const { results } = await index.getDocuments<{ id: string; stars: number }>({ limit: 1_000 })
            held = results.map((document) => `${document.id} ${document.stars}`).sort()
          }
        }
        const insert = async (repo: string, document: Document = {}) => {
          stars.set(repo, 1)
          return skills.insertOne({ owner: 'acme', repo, stars: 1, ...document })
        }

        // New.
        const names = ['replaced', 'same-second', 'renamed', 'deleted', 'hidden', 'twice']
        for (const name of names) {
          await insert(name, { updatedAt: Math.floor(Date.now() / 1_000) })
        }
        for (const [form, write] of forms) {
          await insert(form, { updatedAt: write(Date.now() - hourMs) })
        }
        await untilIndexed()

        // Replaced whole; updated in place; renamed; hidden; a second document of one skill.
        await skills.replaceOne({ repo: 'replaced' }, { owner: 'acme', repo: 'replaced', stars: 2 })
        stars.set('replaced', 2)
        for (const [form, write] of forms) {
          await skills.updateOne({ repo: form }, { $set: { stars: 2, updatedAt: write(Date.now()) } })
          stars.set(form, 2)
        }
        await skills.updateOne({ repo: 'renamed' }, { $set: { repo: 'new-name', updatedAt: new Date() } })
        stars.delete('renamed')
        stars.set('new-name', 1)
        await skills.updateOne({ repo: 'hidden' }, { $set: { hidden: true, updatedAt: new Date() } })
        stars.delete('hidden')
        const { insertedId } = await skills.insertOne({ owner: 'Acme', repo: 'Twice', stars: 9, updatedAt: new Date() })
        await untilIndexed()

        // Twice within a second, whose times are equal: before, while and after the first is ingested.
        for (let count = 2; count < 12; count += 1) {
          const updatedAt = Math.floor(Date.now() / 1_000)
          await skills.updateOne({ repo: 'same-second' }, { $set: { stars: count * 10, updatedAt } })
          await sleep(count * 50)
          await skills.updateOne({ repo: 'same-second' }, { $set: { stars: count * 10 + 1, updatedAt } })
          stars.set('same-second', count * 10 + 1)
          await untilIndexed()
        }

        // Deleted without a trace: only a comparison notices it.
        await skills.deleteOne({ repo: 'deleted' })
        stars.delete('deleted')
        await skills.deleteOne({ _id: insertedId })
        await runCatalogOn(env, ['verify'])
        await untilIndexed()

        expect(await expectInvariant(env)).toMatchObject({ compared: stars.size, rejected: 0 })
      },
      300_000,
    )
  })
})
