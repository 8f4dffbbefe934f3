import { createRequire } from 'node:module'
import { expect, test } from '@jest/globals'
import type { AxeResults } from 'axe-core'
import type { Stats } from '../../shared/records/stats.js'
import { stateKeys } from '../../shared/state-keys.js'
import { whenBrowser } from '../support/browser.js'
import { sharedTestApp, startTestApp } from '../support/test-app.js'

const pages = {
  'the first view': '/',
  results: '/?q=pdf+tabel&license=MIT',
  'no results': '/?q=qqqzzz',
  'a skill': '/skills/quillmoor/pdf-table-lifter',
  'an organization': '/organizations/quillmoor',
  'a topic': '/topics/pdf',
  organizations: '/organizations',
  topics: '/topics?page=2',
  repositories: '/repositories',
  statistics: '/statistics',
  dataset: '/dataset',
  documentation: '/docs',
  errors: '/docs/errors',
  'an unknown skill': '/skills/quillmoor/pdf-table-liftr',
}

/** What is checked with the colours of each scheme: all once, and then what depends on colours. */
const checked = {
  light: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] },
  dark: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] },
} as const
const source = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

whenBrowser((open) => {
  const api = sharedTestApp({ sample: true }, async (started) => {
    await started.publishExports()
    await started.publishDataset()
  })

  test.each(Object.entries(pages))(
    '%s has no accessibility fault in light and dark colours, and fits a phone',
    async (_, path) => {
      // The policy of the pages allows no script of others: the test injects one.
      const { page } = await open({ bypassCSP: true })
      await page.goto(`${api().url}${path}`)
      if (path === '/docs') {
        await page.locator('.opblock-summary-control').first().click()
        await page.locator('.execute').waitFor()
      }
      await page.addScriptTag({ path: source })

      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
        // Scripts learn of the change with the next frame.
        await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
        // Of what is right, which is most, nothing is passed on.
        const options = JSON.stringify({ runOnly: checked[colorScheme], resultTypes: ['violations'] })
        const violations = (await page.evaluate(
          `axe.run(document, ${options}).then(({ violations }) => violations)`,
        )) as AxeResults['violations']
        expect([colorScheme, ...violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])]).toEqual([
          colorScheme,
        ])
      }
      await page.setViewportSize({ width: 320, height: 640 })
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320)
    },
    120_000,
  )

  test('the totals of a large catalog fit a phone', async () => {
    const { url, stores } = await startTestApp({ sample: true })
    const stats = await stores.catalog.readState<Stats>(stateKeys.stats)
    const totals = Object.fromEntries(Object.keys(stats?.totals ?? {}).map((name) => [name, 99_999]))
    await stores.catalog.writeState(stateKeys.stats, { ...stats, totals })
    const { page } = await open({ viewport: { width: 320, height: 640 } })

    for (const path of ['/', '/statistics']) {
      await page.goto(`${url}${path}`)
      expect(await page.locator('.totals').textContent()).toContain('organizations99,999')
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320)
    }
  }, 120_000)

  test('the documentation follows the colours of the reader', async () => {
    const { page } = await open({ colorScheme: 'dark' })
    await page.goto(`${api().url}/docs`)
    await page.locator('.swagger-ui .opblock').first().waitFor()
    const lightness = async () => {
      const colour = String(await page.evaluate('getComputedStyle(document.querySelector(".swagger-ui")).color'))
      return Number(/\d+/.exec(colour)?.[0])
    }

    expect(await lightness()).toBeGreaterThan(180)
    await page.locator('.theme-switch').click()
    expect(await lightness()).toBeLessThan(90)
    await page.locator('.theme-switch').click()
    expect(await lightness()).toBeGreaterThan(180)
  }, 120_000)

  test('the theme switch is kept for the next page', async () => {
    const { page } = await open({ colorScheme: 'light' })
    const ground = () => page.evaluate('getComputedStyle(document.body).backgroundColor')
    await page.goto(api().url)
    const light = await ground()

    await page.locator('.theme-switch').click()
    const dark = await ground()
    await page.goto(`${api().url}/statistics`)

    expect(dark).not.toBe(light)
    expect(await ground()).toBe(dark)
  }, 120_000)
})
