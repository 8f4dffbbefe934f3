import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { brotliCompressSync, constants } from 'node:zlib'
import { expect, test } from '@jest/globals'
import { FileExportStore } from '../../shared/adapters/embedded/exports/file-export-store.js'
import type { ExportDraft } from '../../shared/ports/export-store.js'
import { whenBrowser } from '../support/browser.js'
import { aDraft, publishText } from '../support/export-drafts.js'
import { interruptingOnce } from '../support/relays.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { startTestApp } from '../support/test-app.js'
import { silentLog } from '../support/test-log.js'

/** Larger than the buffers of connections, also compressed, so that an interruption happens half-way. */
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
    ['not encoded: the rest follows', [], null, 'HTTP/1.1 206', content],
    // A browser requests the rest unencoded: another file, of which it has nothing yet.
    ['compressed: the whole file again', [packed()], null, 'HTTP/1.1 200', content],
    ['not encoded, after another snapshot: the rest of the first', [], later, 'HTTP/1.1 206', content],
    ['compressed, after another snapshot: the whole second file', [packed()], later, 'HTTP/1.1 200', later],
  ])(
    'an interrupted download is continued, %s',
    async (_, others, next, answer, expected) => {
      const exports = await FileExportStore.open(temporaryFolder(), silentLog())
      await publishText(exports, 1, content, others)
      const publishNext = async () => next !== null && publishText(exports, 2, next)
      const relay = await interruptingOnce((await startTestApp({ exports })).url, 6_000_000, publishNext)
      const { page } = await open()

      const [download] = await Promise.all([
        page.waitForEvent('download'),
        // Navigation to a download fails in the browser.
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
