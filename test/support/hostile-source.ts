import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach } from '@jest/globals'

type Handler = (response: ServerResponse, request: IncomingMessage) => void

export interface HostileSource {
  url: string
  /** Paths that were asked for, without their queries. */
  paths: string[]
  /** Bytes of bodies that were written to connections. */
  sentBytes: number
  /** What is answered, by path without its query; else a problem with 404. */
  answers: Record<string, Handler>
}

/** A file as the source announces it. */
export interface AnnouncedFile {
  type: 'skills' | 'prompts' | 'organizations'
  bytes: number
  sha256: string
  rows: number
}

export const filePath = (type: AnnouncedFile['type']): string => `/api/v1/exports/newest/${type}.ndjson`

/** A catalog that answers what it likes, with a snapshot of these files and no changes. */
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
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  source.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  source.answers['/api/v1/exports'] = json({ data: files.length === 0 ? [] : [snapshotOf(files)] })
  source.answers['/api/v1/changes'] = changes([])
  ends.push(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
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

/** How this text is announced. */
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

/** Answers this JSON. */
export const json =
  (value: unknown, status = 200): Handler =>
  (response) =>
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value))

/** Answers these changes from the start, and none after them. */
export const changes =
  (data: unknown[]): Handler =>
  (response, request) =>
    json({
      data: request.url?.includes('since=0&') ? data : [],
      pagination: { nextSince: 1, more: false },
    })(response, request)

/** Answers this text. */
export const text =
  (body: string | Buffer, headers: Record<string, string> = {}): Handler =>
  (response) =>
    response.writeHead(200, headers).end(body)

/** Answers this piece without end, as fast as it is read. */
export const endless =
  (piece: Buffer, status = 200): Handler =>
  (response) => {
    response.writeHead(status)
    const fill = () => {
      while (!response.destroyed && response.write(piece)) {
        // Until the connection is full.
      }
    }
    response.on('drain', fill)
    fill()
  }

/** Answers one byte every so many milliseconds, without end. */
export const dripping =
  (everyMs: number): Handler =>
  (response) => {
    response.writeHead(200)
    const timer = setInterval(() => response.write(' '), everyMs)
    response.on('close', () => clearInterval(timer))
  }

/** Redirects to this address. */
export const redirect =
  (location: string): Handler =>
  (response) =>
    response.writeHead(302, { Location: location }).end()

const ends: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const end of ends.splice(0)) {
    await end()
  }
})
