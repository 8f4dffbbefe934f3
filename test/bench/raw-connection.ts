import { connect, type Socket } from 'node:net'

/** The part of an answer that a load generator looks at. */
interface ShortAnswer {
  /** 0: the connection was closed, or could not be opened. */
  status: number
  retryAfter: boolean
}

const headEnd = Buffer.from('\r\n\r\n')

/**
 * A keep-alive connection that carries one request at a time. It costs a tenth of the processor time of node:http's
 * client, which counts where generator and service share two cores.
 */
export class RawConnection {
  readonly #host: string
  readonly #port: number
  #socket: Socket | null = null
  /** The beginning of a head whose end has not arrived. */
  #head: Buffer = Buffer.alloc(0)
  /** Of the body; null until the head is complete. */
  #bytesLeft: number | null = null
  #answer: ShortAnswer = { status: 0, retryAfter: false }
  #resolve: ((answer: ShortAnswer) => void) | null = null
  /** All that it has received so far. */
  receivedBytes = 0

  constructor(url: string) {
    const { hostname, port } = new URL(url)
    this.#host = hostname
    this.#port = Number(port)
  }

  /** Sends a GET, and reads the whole answer. Never rejects. @param headers lines with their ends */
  ask(path: string, headers = ''): Promise<ShortAnswer> {
    return new Promise((resolve) => {
      this.#resolve = resolve
      this.#socket ??= this.#open()
      this.#socket.write(`GET ${path} HTTP/1.1\r\nHost: ${this.#host}:${this.#port}\r\n${headers}\r\n`)
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
    this.receivedBytes += chunk.length
    if (this.#resolve === null) {
      return
    }
    if (this.#bytesLeft === null) {
      this.#head = this.#head.length === 0 ? chunk : Buffer.concat([this.#head, chunk])
      const end = this.#head.indexOf(headEnd)
      if (end === -1) {
        return
      }
      const head = this.#head.toString('latin1', 0, end)
      this.#answer = { status: Number(head.slice(9, 12)), retryAfter: /^retry-after: [1-9]/im.test(head) }
      if (/^connection: close/im.test(head)) {
        this.#socket?.end()
        this.#socket = null
      }
      const bodyBytes = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0)
      this.#bytesLeft = bodyBytes - (this.#head.length - end - headEnd.length)
    } else {
      this.#bytesLeft -= chunk.length
    }
    if (this.#bytesLeft <= 0) {
      this.#finish(this.#answer)
    }
  }

  #finish(answer: ShortAnswer): void {
    const resolve = this.#resolve
    this.#resolve = null
    this.#bytesLeft = null
    this.#head = Buffer.alloc(0)
    resolve?.(answer)
  }
}
