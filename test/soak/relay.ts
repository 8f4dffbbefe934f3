import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** Stands before a server at an address that stays, whatever port the server has after a restart. */
export class Relay {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  /** Where the server is just now. */
  targetPort: number
  #refuses = false

  private constructor(targetPort: number) {
    this.targetPort = targetPort
    this.#server = createServer((client) => this.#pass(client))
  }

  static async before(targetPort: number): Promise<Relay> {
    const relay = new Relay(targetPort)
    await new Promise<void>((resolve) => relay.#server.listen(0, '127.0.0.1', resolve))
    return relay
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Cuts every connection, wherever it is in what it says. */
  cut(): void {
    for (const socket of this.#sockets) {
      socket.destroy()
    }
  }

  /** Cuts every connection, and lets no new one through for a while. */
  async refuseFor(forMs: number): Promise<void> {
    this.#refuses = true
    this.cut()
    await sleep(forMs)
    this.#refuses = false
  }

  close(): void {
    this.cut()
    this.#server.close()
  }

  #pass(client: Socket): void {
    if (this.#refuses) {
      client.destroy()
      return
    }
    const server = connect(this.targetPort, '127.0.0.1')
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(socket)
      socket.setNoDelay()
      socket.pipe(other)
      socket.on('error', () => socket.destroy())
      socket.on('close', () => {
        this.#sockets.delete(socket)
        other.destroy()
      })
    }
  }
}
