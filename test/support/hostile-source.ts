import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { listenForTest } from './after-test.js'

type Handler = (response: ServerResponse, request: IncomingMessage) => void

export interface HostileSource {
  url: string
  /** Requested paths, without their queries. */
  paths: string[]
  /** Number of bytes written as bodies. */
  sentBytes: number
  /** The responses, by path without its query; default: a problem with 404. */
  answers: Record<string, Handler>
}

/** A file as in the source's list of snapshots. */
export interface AnnouncedFile {
  type: 'skills' | 'prompts' | 'organizations'
  bytes: number
  sha256: string
  rows: number
}

export const filePath = (type: AnnouncedFile['type']): string => `/api/v1/exports/newest/${type}.ndjson`

/** A source catalog with any responses, a snapshot of these files, and no changes. */
export async function startHostileSource(files: AnnouncedFile[] = []): Promise<HostileSource> {
  const source: HostileSource = { url: '', paths: [], sentBytes: 0, answers: {} }
  const server = createServer((request, response) => {
    const path = request.url?.split('?')[0] ?? ''
    source.paths.push(path)
    const write = response.write.bind(response)
    response.write = (chunk: Buffer | string, ...rest: unknown[]) => {
      source.sentBytes += chunk.length
      return (write as (...all: unknown[]) => boolean)(chunk, ...rest)
    }
    const unknown: Handler = (answer) => json({ code: 'not_found', detail: 'Unknown.' }, 404)(answer, request)
    ;(source.answers[path] ?? unknown)(response, request)
  })
  source.url = await listenForTest(server)
  source.answers['/api/v1/exports'] = json({ data: files.length === 0 ? [] : [snapshotOf(files)] })
  source.answers['/api/v1/changes'] = changes([])
  return source
}

const snapshotOf = (files: AnnouncedFile[]) => ({
  snapshot: 'newest',
  generatedAt: '2026-11-22T10:00:00.000Z',
  changesSince: 1,
  files: files.map((file) => ({
    ...file,
    format: 'ndjson',
    encoding: 'identity',
    path: filePath(file.type),
    total: file.rows,
    truncated: false,
  })),
})

/** The entry of this text in the list of snapshots. */
export const announced = (
  type: AnnouncedFile['type'],
  text: string,
  rows = text.split('\n').length - 1,
): AnnouncedFile => ({
  type,
  bytes: Buffer.byteLength(text),
  sha256: createHash('sha256').update(text).digest('hex'),
  rows,
})

/** Responds with this JSON. */
export const json =
  (value: unknown, status = 200): Handler =>
  (response) =>
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value))

/** Responds with these changes from the start, and none after them. */
export const changes =
  (data: unknown[]): Handler =>
  (response, request) =>
    json({
      data: request.url?.includes('since=0&') ? data : [],
      pagination: { nextSince: 1, more: false },
    })(response, request)

/** Responds with this text. */
export const text =
  (body: string | Buffer, headers: Record<string, string> = {}): Handler =>
  (response) =>
    response.writeHead(200, headers).end(body)

/** Responds with this chunk without end, as fast as it is read. */
export const endless =
  (piece: Buffer, status = 200): Handler =>
  (response) => {
    response.writeHead(status)
    const fill = () => {
      while (!response.destroyed && response.write(piece)) {
        // Until the buffers are full.
      }
    }
    response.on('drain', fill)
    fill()
  }

/** Responds with one byte per interval in milliseconds, without end. */
export const dripping =
  (everyMs: number): Handler =>
  (response) => {
    response.writeHead(200)
    const timer = setInterval(() => response.write(' '), everyMs)
    response.on('close', () => clearInterval(timer))
  }

/** Redirects to this URL. */
export const redirect =
  (location: string): Handler =>
  (response) =>
    response.writeHead(302, { Location: location }).end()
