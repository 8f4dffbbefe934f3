import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach } from '@jest/globals'

/** The way to a server, which a test may make slow, or cut. */
export interface TcpRelay {
  /** The server's address, by this way. */
  url: string
  /** How much longer each piece of an answer takes than it would. */
  delayMs: number
  /** What becomes of each piece of an answer; at first nothing. */
  rewrite: (chunk: Buffer) => Buffer
  /** Ends every connection; new ones are refused. */
  cut(): Promise<void>
  /** Lets connections be made again. */
  heal(): Promise<void>
}

/** Opens a way to the server at this address. It ends with the test. */
export async function startTcpRelay(target: string): Promise<TcpRelay> {
  const { hostname, port } = new URL(target)
  const open = new Set<Socket>()
  const server = createServer((client) => {
    const behind = connect(Number(port), hostname)
    client.pipe(behind)
    behind.on('data', async (chunk: Buffer) => {
      if (relay.delayMs > 0) {
        await sleep(relay.delayMs)
      }
      client.write(relay.rewrite(chunk))
    })
    for (const end of [client, behind]) {
      open.add(end)
      end.on('error', () => undefined)
      end.once('close', () => {
        open.delete(end)
        client.destroy()
        behind.destroy()
      })
    }
  })
  const listen = (at: number) => new Promise<void>((resolve) => server.listen(at, '127.0.0.1', resolve))
  await listen(0)
  const { port: ownPort } = server.address() as AddressInfo
  const url = new URL(target)
  url.host = `127.0.0.1:${ownPort}`
  const relay: TcpRelay = {
    url: url.href,
    delayMs: 0,
    rewrite: (chunk) => chunk,
    cut: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const end of open) {
          end.destroy()
        }
      }),
    heal: () => listen(ownPort),
  }
  relays.push(relay)
  return relay
}

const relays: TcpRelay[] = []

afterEach(() => Promise.all(relays.splice(0).map((relay) => relay.cut())))
