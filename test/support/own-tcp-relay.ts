import { afterTest } from './after-test.js'
import { TcpRelay } from './tcp-relay.js'

/** Opens a relay to the server at this URL. It ends with the test. */
export async function startTcpRelay(target: string): Promise<TcpRelay> {
  const relay = await TcpRelay.before(target)
  afterTest(() => relay.cut())
  return relay
}
