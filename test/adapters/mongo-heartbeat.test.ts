import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import type { Db } from 'mongodb'
import { connectMongo } from '../../shared/adapters/servers/mongo-connection.js'
import { freshDatabase } from '../support/mongo-database.js'
import { startTcpRelay } from '../support/own-tcp-relay.js'
import { whenServer } from '../support/servers.js'

/** Of what is asked at a time some is on its way whenever connections are cut. */
const askers = 8

whenServer('mongodb', (mongodb) => {
  test('a client comes back from every cut of all its connections', async () => {
    const relay = await startTcpRelay(freshDatabase(mongodb()))
    const { client, db } = await connectMongo(relay.url, { stuckAfterMs: 2_000 })
    const asking = startAsking(db)
    try {
      for (let cut = 1; cut <= 5; cut += 1) {
        await asking.untilAnswered(50)
        await relay.cut()
        await relay.heal()
      }
      await asking.untilAnswered(50)
    } finally {
      await asking.stop()
      await client.close()
    }
    expect(asking.answers()).toBeGreaterThan(250)
  })
})

/** Asks all the while, several questions at a time. */
function startAsking(db: Db) {
  let [answers, ended] = [0, false]
  const ask = async () => {
    while (!ended) {
      await db
        .collection('skills')
        .findOne({})
        .then(
          () => {
            answers += 1
          },
          () => undefined,
        )
      await sleep(5)
    }
  }
  const all = Promise.all(Array.from({ length: askers }, ask))
  return {
    answers: () => answers,
    /** Resolves when so many more have been answered. */
    untilAnswered: async (more: number) => {
      for (const goal = answers + more; answers < goal; ) {
        await sleep(10)
      }
    },
    stop: async () => {
      ended = true
      // One that the driver has lost never ends.
      await Promise.race([all, sleep(6_000, undefined, { ref: false })])
    },
  }
}
