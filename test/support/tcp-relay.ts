import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** The way to a server, at an address that stays, which can be made slow, or cut. */
export class TcpRelay {
  /** Where the server is just now; it may come back elsewhere. */
  target: string
  /** How much longer each piece of an answer takes than it would. */
  delayMs = 0
  /** What becomes of each piece of an answer; at first nothing. */
  rewrite: (chunk: Buffer) => Buffer = (chunk) => chunk
  readonly #server: Server
  readonly #open = new Set<Socket>()
  #port = 0

  private constructor(target: string) {
    this.target = target
    this.#server = createServer((client) => this.#pass(client))
  }

  /** Opens a way to the server at this address. */
  static async before(target: string): Promise<TcpRelay> {
    const relay = new TcpRelay(target)
    await relay.heal()
    relay.#port = (relay.#server.address() as AddressInfo).port
    return relay
  }

  /** The server's address, by this way. */
  get url(): string {
    const url = new URL(this.target)
    url.host = `127.0.0.1:${this.#port}`
    return url.href
  }

  /** Ends every connection, wherever it is in what it says; new ones can be made. */
  drop(): void {
    for (const end of this.#open) {
      end.destroy()
    }
  }

  /** Ends every connection; new ones are refused. */
  async cut(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()))
    this.drop()
    await closed
  }

  /** Lets connections be made again. */
  heal(): Promise<void> {
    return new Promise((resolve) => this.#server.listen(this.#port, '127.0.0.1', resolve))
  }

  #pass(client: Socket): void {
    const { hostname, port } = new URL(this.target)
    const server = connect(Number(port), hostname)
    client.setNoDelay()
    client.pipe(server.setNoDelay())
    server.on('data', async (chunk: Buffer) => {
      if (this.delayMs > 0) {
        await sleep(this.delayMs)
      }
      client.write(this.rewrite(chunk))
    })
    for (const end of [client, server]) {
      this.#open.add(end)
      end.on('error', () => undefined)
      end.once('close', () => {
        this.#open.delete(end)
        client.destroy()
        server.destroy()
      })
    }
  }
}
