import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import type { Db, MongoClient } from 'mongodb'
import { connectMongo } from '../../shared/adapters/servers/mongo/connection.js'
import { freshDatabase } from '../support/mongo-database.js'
import { whenServer } from '../support/servers.js'

/** Node reports each new connection. */
const channel = 'net.client.socket'

/** Several, so that a request is in progress whenever connections are closed. */
const askers = 8

test('an address whose servers the DNS does not know is an outage', async () => {
  await expect(connectMongo('mongodb+srv://catalog.none.invalid/x')).rejects.toMatchObject({
    code: 'catalog_unavailable',
    cause: { message: expect.stringContaining('none.invalid') },
  })
})

whenServer('mongodb', (mongodb) => {
  let client: MongoClient
  let db: Db
  const sockets = new Set<Socket>()
  const keep = (message: unknown) => void sockets.add((message as { socket: Socket }).socket)
  beforeEach(async () => {
    subscribe(channel, keep)
    const address = freshDatabase(mongodb())
    // A replica set would do the write again, on another connection.
    const connection = await connectMongo(`${address}${address.includes('?') ? '&' : '?'}retryWrites=false`)
    client = connection.client
    db = connection.db
  })
  afterEach(async () => {
    unsubscribe(channel, keep)
    sockets.clear()
    await client.close()
  })

  const closeAll = () => {
    for (const socket of sockets) {
      socket.destroy()
    }
  }

  test('a client recovers when all its connections are closed during a heartbeat', async () => {
    let [answers, ended] = [0, false]
    const ask = async () => {
      while (!ended) {
        try {
          await db.collection('skills').findOne()
          answers += 1
        } catch {
          await sleep(10)
        }
      }
    }
    const untilAnswered = async (more: number) => {
      for (const goal = answers + more; answers < goal; ) {
        await sleep(10)
      }
    }
    const asking = Promise.all(Array.from({ length: askers }, ask))
    await untilAnswered(50)

    // At once: the driver is notified only after it has written its heartbeat.
    client.once('serverHeartbeatStarted', closeAll)
    await once(client, 'serverHeartbeatStarted')

    await untilAnswered(50)
    ended = true
    await asking
    expect(answers).toBeGreaterThanOrEqual(100)
  })

  test('a write ends when its connection is closed before all of it could be sent', async () => {
    const written = db
      .collection('skills')
      .insertOne({ text: 'x'.repeat(15_000_000) })
      .catch((error: unknown) => error)
    while (![...sockets].some(({ writableLength }) => writableLength > 0)) {
      await setImmediate()
    }

    closeAll()

    expect(String(await written)).toMatch(/connection .* closed/)
  })
})
