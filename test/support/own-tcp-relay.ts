import { afterEach } from '@jest/globals'
import { TcpRelay } from './tcp-relay.js'

/** Opens a relay to the server at this URL. It ends with the test. */
export async function startTcpRelay(target: string): Promise<TcpRelay> {
  const relay = await TcpRelay.before(target)
  relays.push(relay)
  return relay
}

const relays: TcpRelay[] = []

afterEach(() => Promise.all(relays.splice(0).map((relay) => relay.cut())))
