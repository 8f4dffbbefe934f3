import { setTimeout as sleep } from 'node:timers/promises'
import type { MongoClient } from 'mongodb'

/** Between two tries to connect again. */
const retryMs = 1_000

/**
 * Connects a client anew when the driver has stopped to ask its server whether it is there.
 *
 * The driver does so when all its connections are closed in one instant, as by a restart of the server: it may write
 * its question to one that is gone already but has not been told so, and waits for ever for that to be sent. Until it
 * has an answer it takes the server for lost, and every call fails.
 *
 * @param stuckAfterMs longer than a question may take by the driver's own timers
 * @see https://github.com/mongodb/node-mongodb-native `writeCommand` of `src/cmap/connection.ts`, as of 7.9
 */
export function reviveStuckClient(client: MongoClient, stuckAfterMs: number): void {
  const asked = new Map<string, NodeJS.Timeout>()
  let [reviving, ended] = [false, false]
  const answered = (address: string) => {
    clearTimeout(asked.get(address))
    asked.delete(address)
  }
  const revive = async () => {
    if (reviving || ended) {
      return
    }
    reviving = true
    await client.close()
    for (let connected = false; !connected; ) {
      connected = await client.connect().then(
        () => true,
        () => false,
      )
      await sleep(connected ? 0 : retryMs, undefined, { ref: false })
    }
    reviving = false
  }
  client.on('serverHeartbeatStarted', ({ connectionId: address }) => {
    answered(address)
    asked.set(address, setTimeout(() => void revive(), stuckAfterMs).unref())
  })
  client.on('serverHeartbeatSucceeded', ({ connectionId: address }) => answered(address))
  client.on('serverHeartbeatFailed', ({ connectionId: address }) => answered(address))
  client.on('topologyClosed', () => {
    // By whoever has opened it.
    ended = !reviving
  })
}
