import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { MongoClient } from 'mongodb'
import { SourceEvents } from '../../shared/adapters/servers/mongo/ingest/source-events.js'
import { whenServer } from '../support/servers.js'

whenServer('mongodb', (url) => {
  test('no event is lost where one call looks for news while another one takes events', async () => {
    const client = await MongoClient.connect(url())
    const db = client.db(`events-${randomUUID()}`)
    const events = new SourceEvents(db)
    try {
      const first = await events.take(null, 100)
      const writes = 60
      const each = 10
      let isWriting = true
      const writing = (async () => {
        for (let write = 0; write < writes; write += 1) {
          const documents = Array.from({ length: each }, (_, at) => ({ number: write * each + at }))
          await db.collection('skills').insertMany(documents)
          await sleep(write % 20)
        }
        isWriting = false
      })()
      const asking = (async () => {
        while (isWriting) {
          await events.hasNew()
          await sleep(5)
        }
      })()
      const taken = new Set<string>()
      for (let position: unknown = first?.token, more = true; isWriting || more; ) {
        const next = await events.take(position, 100)
        for (const { id } of next?.events ?? []) {
          taken.add(String(id))
        }
        more = next?.count !== 0
        position = next?.token
      }
      await Promise.all([writing, asking])
      expect(taken.size).toBe(writes * each)
    } finally {
      await events.close()
      await db.dropDatabase()
      await client.close()
    }
  })
})
