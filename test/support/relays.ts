import { connect, createServer } from 'node:net'
import { afterTest } from './after-test.js'
import { HttpRelay, isPost } from './http-relay.js'
import { listen } from './local-server.js'
import { TcpRelay } from './tcp-relay.js'

/** Opens a relay to the server at this URL. It ends with the test. */
export async function startTcpRelay(target: string): Promise<TcpRelay> {
  const relay = await TcpRelay.before(target)
  afterTest(() => relay.cut())
  return relay
}

/** Opens a relay to the service at this URL. It ends with the test. */
export async function startHttpRelay(target: string): Promise<HttpRelay> {
  const relay = await HttpRelay.before(target)
  afterTest(() => relay.close())
  return relay
}

/** Resolves with the next request of documents at the relay, which is held until `pass`. */
export function holdNextPost(relay: HttpRelay): { arrived: Promise<void>; pass: () => void } {
  let [arrive, pass]: (() => void)[] = [() => undefined, () => undefined]
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve
  })
  const passed = new Promise<void>((resolve) => {
    pass = resolve
  })
  relay.script = async (request, forward) => {
    if (isPost(request)) {
      arrive?.()
      await passed
    }
    return forward()
  }
  return { arrived, pass: () => pass?.() }
}

/** A relay between a client and a service. */
interface InterruptingRelay {
  url: string
  /** The requests, one text per connection. */
  requests: string[]
  /** The status lines of the responses, one per connection. */
  answers: string[]
}

/**
 * A relay that interrupts the first response that is longer than this, and forwards everything else.
 *
 * @param beforeInterruption called before the client notices the interruption
 */
export async function interruptingOnce(
  url: string,
  interruptAfterBytes: number,
  beforeInterruption: () => Promise<unknown> = () => Promise.resolve(),
): Promise<InterruptingRelay> {
  const requests: string[] = []
  const answers: string[] = []
  let isCut = false
  const relay = createServer((client) => {
    const place = requests.push('') - 1
    const server = connect(Number(new URL(url).port), '127.0.0.1')
    let passed = 0
    client.on('data', (chunk: Buffer) => {
      requests[place] += chunk.toString('latin1')
      server.write(chunk)
    })
    server.on('data', (chunk: Buffer) => {
      answers[place] ??= chunk.toString('latin1').split('\r\n')[0] ?? ''
      passed += chunk.length
      if (!isCut && passed > interruptAfterBytes) {
        isCut = true
        server.destroy()
        beforeInterruption().then(
          () => client.end(),
          () => client.destroy(),
        )
      } else if (!client.write(chunk)) {
        server.pause()
        client.once('drain', () => server.resume())
      }
    })
    client.on('end', () => server.end())
    server.on('end', () => client.end())
    for (const socket of [client, server]) {
      socket.on('error', () => socket.destroy())
    }
  })
  afterTest(() => void relay.close())
  return { url: await listen(relay), requests, answers }
}
