import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'

/** A download that is read as fast and as far as a test wants. */
export interface Download {
  status: number
  headers: IncomingMessage['headers']
  /** Reads on until so many more bytes have come, or to the end. Resolves with what came. */
  take(bytes?: number): Promise<Buffer>
  /** Reads to the end without keeping it. Resolves with its digest, as `Repr-Digest` tells it. */
  digest(): Promise<string>
  /** Hangs up. */
  cut(): void
}

/** Begins a download. Nothing of it is read before the test does. */
export async function beginDownload(url: string, headers: Record<string, string> = {}): Promise<Download> {
  const sent = request(url, { headers, agent: false }).end()
  const [response]: IncomingMessage[] = await once(sent, 'response')
  if (response === undefined) {
    throw new Error('there is no answer')
  }
  // Who hangs up is told so.
  sent.on('error', () => undefined)
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    take: async (bytes = Number.POSITIVE_INFINITY) => {
      const pieces: Buffer[] = []
      let taken = 0
      for await (const piece of response.iterator({ destroyOnReturn: false })) {
        pieces.push(piece)
        taken += piece.length
        if (taken >= bytes) {
          break
        }
      }
      return Buffer.concat(pieces)
    },
    digest: async () => {
      const hash = createHash('sha256')
      for await (const piece of response) {
        hash.update(piece)
      }
      return `sha-256=:${hash.digest('base64')}:`
    },
    cut: () => void response.destroy(),
  }
}

/** Downloads a file to its end, and whether it is what its digest says. */
export async function downloaded(url: string): Promise<{ status: number; bytes: Buffer; isWhole: boolean }> {
  const download = await beginDownload(url)
  const bytes = await download.take()
  return { status: download.status, bytes, isWhole: download.headers['repr-digest'] === digestOf(bytes) }
}

/** As `Repr-Digest` tells it. */
export const digestOf = (bytes: Buffer): string => `sha-256=:${createHash('sha256').update(bytes).digest('base64')}:`
