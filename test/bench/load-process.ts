/**
 * Sends HTTP requests over keep-alive connections, in a closed loop: each connection sends its next request when the
 * answer to the last one is complete. A process of its own, driven by messages of `load.ts`.
 *
 * It reads no more of an answer than its status and its length: a complete client would cost more than the servers.
 */
import { connect, type Socket } from 'node:net'
import type { Load, LoadResult } from './load.js'

const endOfHead = Buffer.from('\r\n\r\n')
const lengthName = 'Content-Length: '

process.on('message', (load: Load) => {
  void run(load).then((result) => process.send?.(result))
})

async function run(load: Load): Promise<LoadResult> {
  const { hostname, port } = new URL(load.url)
  const requests = load.requests.map(({ path, headers }) => {
    const lines = Object.entries({ Host: `${hostname}:${port}`, ...headers }).map(
      ([name, value]) => `${name}: ${value}`,
    )
    return Buffer.from(`GET ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
  })
  const result: LoadResult = { answers: 0, bytes: 0, durationMs: 0, error: null }
  const startedAt = performance.now()
  let next = 0
  const sockets = Array.from({ length: load.connections }, () =>
    openLane(connect(Number(port), hostname), {
      nextRequest: () => {
        next += 1
        return requests[next % requests.length] ?? Buffer.alloc(0)
      },
      status: load.status,
      result,
    }),
  )
  await new Promise((resolve) => setTimeout(resolve, load.durationMs))
  result.durationMs = performance.now() - startedAt
  const counted = { ...result }
  for (const socket of sockets) {
    socket.destroy()
  }
  return counted
}

interface Lane {
  nextRequest: () => Buffer
  /** The expected status: another one is an error of the benchmark. */
  status: number
  result: LoadResult
}

function openLane(socket: Socket, { nextRequest, status, result }: Lane): Socket {
  const statusLine = `HTTP/1.1 ${status}`
  /** The beginning of a head whose end has not arrived. */
  let head: Buffer | null = null
  let missingBytes = 0
  const send = () => socket.write(nextRequest())
  const fail = (error: string) => {
    result.error ??= error
    socket.destroy()
  }
  const answered = () => {
    result.answers += 1
    send()
  }
  socket.setNoDelay(true)
  socket.on('connect', send)
  socket.on('error', (error) => fail(error.message))
  socket.on('data', (chunk: Buffer) => {
    result.bytes += chunk.length
    if (missingBytes > 0) {
      missingBytes -= chunk.length
    } else {
      const whole: Buffer = head === null ? chunk : Buffer.concat([head, chunk])
      const end = whole.indexOf(endOfHead)
      if (end < 0) {
        head = whole
        return
      }
      head = null
      const text = whole.toString('latin1', 0, end)
      if (!text.startsWith(statusLine)) {
        fail(text)
        return
      }
      const at = text.indexOf(lengthName)
      const length = at < 0 ? 0 : Number.parseInt(text.slice(at + lengthName.length, at + 40), 10)
      missingBytes = length - (whole.length - end - endOfHead.length)
    }
    if (missingBytes === 0) {
      answered()
    }
  })
  return socket
}
