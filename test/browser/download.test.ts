import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { brotliCompressSync, constants } from 'node:zlib'
import { expect, test } from '@jest/globals'
import { FileExportStore } from '../../shared/adapters/embedded/file-export-store.js'
import type { ExportDraft } from '../../shared/ports/export-store.js'
import { whenBrowser } from '../support/browser.js'
import { cuttingOnce } from '../support/cutting-relay.js'
import { aDraft, publishText } from '../support/export-drafts.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { startTestApp } from '../support/test-app.js'
import { silentLog } from '../support/test-log.js'

/** Longer than what connections buffer, also packed, so that a cut is met half-way. */
const content = Array.from({ length: 400_000 }, (_, place) =>
  createHash('sha256').update(String(place)).digest('base64'),
).join('\n')
const hashOf = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex')

const packed = (): ExportDraft => {
  const bytes = brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })
  return aDraft('', { encoding: 'br', content: [bytes] })
}

whenBrowser((open) => {
  const later = `later\n${content}`
  test.each<[string, ExportDraft[], string | null, string, string]>([
    ['as it is: the rest of it', [], null, 'HTTP/1.1 206', content],
    // A browser asks for the rest of it as it is: another file, of which it has nothing yet.
    ['packed: all of it again', [packed()], null, 'HTTP/1.1 200', content],
    ['as it is, after another one was published: the rest of the first', [], later, 'HTTP/1.1 206', content],
    ['packed, after another one was published: all of the second', [packed()], later, 'HTTP/1.1 200', later],
  ])(
    'a download that is cut is continued, %s',
    async (_, others, next, answer, expected) => {
      const exports = await FileExportStore.open(temporaryFolder(), silentLog())
      await publishText(exports, 1, content, others)
      const publishNext = async () => next !== null && publishText(exports, 2, next)
      const relay = await cuttingOnce((await startTestApp({ exports })).url, 6_000_000, publishNext)
      const { page } = await open()

      const [download] = await Promise.all([
        page.waitForEvent('download'),
        // A page that turns out to be a download is no page.
        page.goto(`${relay.url}/api/v1/export?type=skills`).catch(() => null),
      ])

      expect(await download.failure()).toBeNull()
      expect(download.suggestedFilename()).toBe('skills-2026-01-01.json')
      expect(hashOf(await readFile(await download.path()))).toBe(hashOf(expected))
      expect(relay.requests[1]).toMatch(/\r\nRange: bytes=\d+-\r\n/)
      expect(relay.answers[1]).toContain(answer)
    },
    120_000,
  )
})
