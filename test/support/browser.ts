import { afterAll, beforeAll, describe, test } from '@jest/globals'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { chromiumPath } from './on-path.js'

/** How long a browser may take to start on a busy machine. */
const startMs = 60_000

/** A page, and its errors so far: of scripts, refused contents and requests. */
interface WatchedPage {
  page: Page
  faults: string[]
}

/** Opens a page, with the settings of its reader: scripts, colours, permissions. */
export type OpenPage = (options?: BrowserContextOptions) => Promise<WatchedPage>

/**
 * Defines tests that need a browser: that of `CHROMIUM`, else the one on PATH; without one, a skipped test says so.
 *
 * @param define defines the tests; `open` gives each a new page
 */
export function whenBrowser(define: (open: OpenPage) => void): void {
  const executablePath = chromiumPath
  if (executablePath === null) {
    test.skip('chromium is missing: install it or chromium-headless-shell, or set CHROMIUM to its path', () => {})
    return
  }
  describe('in a browser', () => {
    let browser: Browser | undefined
    beforeAll(async () => {
      // Its sandbox needs rights that containers lack; the pages are the project's own.
      browser = await chromium.launch({ executablePath, chromiumSandbox: false, timeout: startMs })
    }, startMs + 5_000)
    define(async (options) => {
      if (browser === undefined) {
        throw new Error('the browser runs only while the tests do: open a page inside of one')
      }
      const page = await browser.newPage(options)
      const faults: string[] = []
      // Policy violations are logged to the console too.
      page.on('console', (message) => message.type() === 'error' && faults.push(message.text()))
      page.on('pageerror', (error) => faults.push(String(error)))
      return { page, faults }
    })
    afterAll(() => browser?.close(), startMs)
  })
}
