import { connect, type Socket } from 'node:net'

/** The part of an answer that a load generator looks at. */
export interface ShortAnswer {
  /** 0: the connection was closed, or could not be opened. */
  status: number
  retryAfter: boolean
}

/** A request that waits for its answer. */
interface Pending {
  /** What was received of its headers. */
  head: string
  /** Null until the headers are complete. */
  bytesLeft: number | null
  answer: ShortAnswer
  resolve(answer: ShortAnswer): void
}

const headEnd = '\r\n\r\n'

/**
 * A keep-alive connection that carries one request at a time. It costs a tenth of the processor time of node:http's
 * client, which counts where generator and service share two cores.
 */
export class RawConnection {
  readonly #host: string
  readonly #port: number
  #socket: Socket | null = null
  #pending: Pending | null = null

  constructor(url: string) {
    const { hostname, port } = new URL(url)
    this.#host = hostname
    this.#port = Number(port)
  }

  /** Sends a GET, and reads the whole answer. Never rejects. */
  ask(path: string, headers = ''): Promise<ShortAnswer> {
    return new Promise((resolve) => {
      this.#pending = { head: '', bytesLeft: null, answer: { status: 0, retryAfter: false }, resolve }
      this.#socket ??= this.#open()
      this.#socket.write(`GET ${path} HTTP/1.1\r\nHost: bench\r\n${headers}\r\n`)
    })
  }

  close(): void {
    this.#socket?.destroy()
  }

  #open(): Socket {
    const socket = connect({ host: this.#host, port: this.#port, noDelay: true })
    socket.on('data', (chunk) => this.#read(chunk))
    socket.on('error', () => undefined)
    socket.on('close', () => {
      if (this.#socket === socket) {
        this.#socket = null
        this.#finish({ status: 0, retryAfter: false })
      }
    })
    return socket
  }

  #read(chunk: Buffer): void {
    const pending = this.#pending
    if (pending === null) {
      return
    }
    let bodyBytes = chunk.length
    if (pending.bytesLeft === null) {
      pending.head += chunk.toString('latin1')
      const end = pending.head.indexOf(headEnd)
      if (end === -1) {
        return
      }
      bodyBytes = pending.head.length - end - headEnd.length
      const head = pending.head.slice(0, end)
      pending.bytesLeft = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0)
      pending.answer = { status: Number(head.slice(9, 12)), retryAfter: /^retry-after: [1-9]/im.test(head) }
      if (/^connection: close/im.test(head)) {
        this.#socket?.end()
        this.#socket = null
      }
    }
    pending.bytesLeft -= bodyBytes
    if (pending.bytesLeft <= 0) {
      this.#finish(pending.answer)
    }
  }

  #finish(answer: ShortAnswer): void {
    const pending = this.#pending
    this.#pending = null
    pending?.resolve(answer)
  }
}
