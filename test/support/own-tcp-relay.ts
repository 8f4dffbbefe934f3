import { afterEach } from '@jest/globals'
import { TcpRelay } from './tcp-relay.js'

/** Opens a way to the server at this address. It ends with the test. */
export async function startTcpRelay(target: string): Promise<TcpRelay> {
  const relay = await TcpRelay.before(target)
  relays.push(relay)
  return relay
}

const relays: TcpRelay[] = []

afterEach(() => Promise.all(relays.splice(0).map((relay) => relay.cut())))
