import type { Worker } from 'node:cluster'
import { createServer, type Server, type Socket } from 'node:net'
import { listen } from '../../../shared/runtime/listen.js'

/** Connections that wait for a worker. More are closed at once: each takes a file of this process. */
const maxWaiting = 4_096

/** The message with which a connection is handed to a worker, and the worker's answer once it has it. */
export const handed = { connection: 'handed' } as const
export const taken = { connection: 'taken' } as const

/** Whether a message is this one. */
export const isMessage = (message: unknown, expected: typeof handed | typeof taken): boolean =>
  Object(message).connection === expected.connection

/**
 * Accepts the connections of all workers, and hands each to the next worker that has taken its last one. A connection
 * stays open here until its worker has it: when that ends before, another one gets it, and without any worker it waits.
 * (The listener of `node:cluster` leaves such a connection open and unanswered, and closes with the last worker.)
 */
export class Connections {
  readonly url: string
  readonly #server: Server
  readonly #waiting: Socket[] = []
  /** The workers that can take a connection, in their turn. */
  readonly #free = new Set<Worker>()
  /** The connection that was handed to a worker and not taken yet. */
  readonly #handed = new Map<Worker, Socket>()

  private constructor(server: Server, url: string) {
    this.#server = server
    this.url = url
  }

  /** @throws AppError `port_in_use`, `cannot_listen` for the operator */
  static async open(host: string, port: number): Promise<Connections> {
    // Nothing is read here: the worker reads.
    const server = createServer({ pauseOnConnect: true })
    server.maxConnections = maxWaiting
    const connections = new Connections(server, await listen(server, { host, port, variable: 'PORT' }))
    server.on('connection', (socket) => {
      socket.on('error', () => undefined)
      connections.#waiting.push(socket)
      connections.#handOut()
    })
    return connections
  }

  /** Hands connections to this worker from now on, until it ends. */
  add(worker: Worker): void {
    worker.on('message', (message) => {
      if (isMessage(message, taken)) {
        // The worker has the connection open by itself.
        this.#handed.get(worker)?.destroy()
        this.#offer(worker)
      }
    })
    worker.once('exit', () => {
      const socket = this.#handed.get(worker)
      this.#free.delete(worker)
      this.#handed.delete(worker)
      if (socket !== undefined) {
        this.#waiting.unshift(socket)
        this.#handOut()
      }
    })
    this.#offer(worker)
  }

  /** Accepts no more connections, and closes those that wait. */
  close(): void {
    this.#server.close()
    for (const socket of this.#waiting.splice(0)) {
      socket.destroy()
    }
  }

  #offer(worker: Worker): void {
    this.#handed.delete(worker)
    if (!worker.isDead()) {
      this.#free.add(worker)
      this.#handOut()
    }
  }

  #handOut(): void {
    for (const worker of this.#free) {
      const socket = this.#waiting.shift()
      if (socket === undefined) {
        return
      }
      this.#free.delete(worker)
      this.#handed.set(worker, socket)
      // One that cannot be sent is handed to another worker when this one has ended.
      worker.send(handed, socket, { keepOpen: true }, () => undefined)
    }
  }
}
