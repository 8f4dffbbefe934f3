import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** A relay to a server at a fixed URL, which can be slowed down or interrupted. */
export class TcpRelay {
  /** The address of the server; it may change after a restart. */
  target: string
  /** Delay of each chunk of a response. */
  delayMs = 0
  /** Handles each chunk of a response; initially does nothing. */
  rewrite: (chunk: Buffer) => Buffer = (chunk) => chunk
  /** Passes requests on; initially as they are. */
  forward: (client: Socket, server: Socket) => void = (client, server) => void client.pipe(server)
  /** Given each piece of a request, and the connection that it came by. */
  onRequest: (chunk: Buffer, connection: object) => void = () => undefined
  readonly #server: Server
  readonly #open = new Set<Socket>()
  #port = 0

  private constructor(target: string) {
    this.target = target
    this.#server = createServer((client) => this.#pass(client))
  }

  /** Opens a relay to the server at this URL. */
  static async before(target: string): Promise<TcpRelay> {
    const relay = new TcpRelay(target)
    await relay.heal()
    relay.#port = (relay.#server.address() as AddressInfo).port
    return relay
  }

  /** The server's URL through this relay. */
  get url(): string {
    const url = new URL(this.target)
    url.host = `127.0.0.1:${this.#port}`
    return url.href
  }

  /** Closes every connection immediately; new ones are accepted. */
  drop(): void {
    for (const end of this.#open) {
      end.destroy()
    }
  }

  /** Closes every connection; new ones are refused. */
  async cut(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()))
    this.drop()
    await closed
  }

  /** Accepts connections again. */
  heal(): Promise<void> {
    return new Promise((resolve) => this.#server.listen(this.#port, '127.0.0.1', resolve))
  }

  #pass(client: Socket): void {
    const { hostname, port } = new URL(this.target)
    const server = connect(Number(port), hostname)
    client.setNoDelay()
    client.on('data', (chunk: Buffer) => this.onRequest(chunk, client))
    this.forward(client, server.setNoDelay())
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
