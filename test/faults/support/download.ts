import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'

/** A download whose reading a test controls. */
export interface Download {
  status: number
  headers: IncomingMessage['headers']
  /** Reads at least this number of further bytes, or to the end. Resolves with them. */
  take(bytes?: number): Promise<Buffer>
  /** Reads to the end without keeping the content. Resolves with the digest in the format of `Repr-Digest`. */
  digest(): Promise<string>
  /** Closes the connection. */
  cut(): void
}

/** Starts a download, without reading its content. */
export async function beginDownload(url: string, headers: Record<string, string> = {}): Promise<Download> {
  const sent = request(url, { headers, agent: false }).end()
  const [response]: IncomingMessage[] = await once(sent, 'response')
  if (response === undefined) {
    throw new Error('there is no answer')
  }
  // Closing the connection emits an error.
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

/** Downloads a whole file, and compares its digest. */
export async function downloaded(url: string): Promise<{ status: number; bytes: Buffer; isWhole: boolean }> {
  const download = await beginDownload(url)
  const bytes = await download.take()
  return { status: download.status, bytes, isWhole: download.headers['repr-digest'] === digestOf(bytes) }
}

/** In the format of `Repr-Digest`. */
export const digestOf = (bytes: Uint8Array): string =>
  `sha-256=:${createHash('sha256').update(bytes).digest('base64')}:`
