import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { z } from 'zod'
import { endpoint } from '../http/endpoint.js'
import { SendableText } from '../http/sendable-text.js'
import { findBuiltFile } from '../pages/built-files.js'
import { problemError } from '../problems/errors.js'

const types: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
}

/** The files that were requested: each is compressed once. */
const kept = new Map<string, Promise<SendableText>>()

/** GET /assets/:file: a script or stylesheet of the pages. Its name has a hash of its content, which never changes. */
export const builtFile = endpoint({
  name: 'built-file',
  path: '/assets/:file',
  summary: 'A script or stylesheet of the pages',
  docs: null,
  params: z.object({ file: z.string() }),
  query: z.object({}),
  response: z.string(),
  limits: ['default'],
  cache: { maxAgeSeconds: 31_536_000, immutable: true },

  /** @throws AppError `unknown_path` (404) */
  async handle({ params: { file } }) {
    const path = findBuiltFile(file)
    if (path === null) {
      throw problemError('unknown_path', 'No page uses this file any more. Load the page again.')
    }
    const text = kept.get(file) ?? readFile(path, 'utf8').then((content) => new SendableText(content))
    kept.set(file, text)
    // The next request tries to read it again.
    text.catch(() => kept.delete(file))
    return { text: await text, headers: { 'Content-Type': types[extname(file)] ?? 'application/octet-stream' } }
  },
})
