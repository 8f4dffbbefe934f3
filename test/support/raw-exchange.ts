import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** A response as text. */
export interface RawAnswer {
  /** 0: not HTTP. */
  status: number
  head: string
  body: string
  /** The whole response. */
  text: string
}

/** Sends bytes as they are and reads until the connection is closed. */
export async function exchange(url: string, bytes: string | Buffer): Promise<RawAnswer> {
  const { socket, closed } = await openSocket(url)
  socket.write(bytes)
  return closed
}

/** A raw connection; `closed` resolves with the bytes received until its end. */
export async function openSocket(url: string): Promise<{ socket: Socket; closed: Promise<RawAnswer> }> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  // A connection that is closed during a write ends with an error; only the response before it matters.
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk
  })
  const closed = new Promise<RawAnswer>((resolve) => {
    socket.once('close', () => {
      const [head = '', body = ''] = text.split('\r\n\r\n')
      resolve({ status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1] ?? 0), head, body, text })
    })
  })
  return { socket, closed }
}
