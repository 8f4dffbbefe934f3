import { expect, test } from '@jest/globals'
import { whenBrowser } from '../support/browser.js'
import { startTestApp, type TestApp } from '../support/test-app.js'
import { listedNames } from './journeys.js'

const quota = 50

/** The requests that are left, before this one. */
const leftOf = async (api: TestApp) => 1 + Number((await api.get('/api/v1/stats')).headers['x-ratelimit-remaining'])

whenBrowser((open) => {
  test('the quota of the reader is shown, and over the limit the time until the next attempt', async () => {
    const api = await startTestApp({ sample: true, config: { rateLimitPerMinute: 8 } })
    const { page } = await open()
    await page.goto(`${api.url}/`)
    const refused = page.getByRole('alert')

    await page.locator('#q').fill('pdf')
    await page.getByText(/^\d+ of 8 requests left this minute$/).waitFor()
    for (const letter of 'documentation of everything') {
      if (await refused.isVisible()) {
        break
      }
      const answered = page.waitForResponse(/search/)
      await page.locator('#q').press(letter)
      await answered
    }

    await refused.waitFor()
    expect(await refused.textContent()).toMatch(/used up your requests.*Next attempt in \d+ seconds?/)
    // A page says so, too.
    await page.goto(`${api.url}/statistics`)
    expect(await page.locator('h1').textContent()).toBe('You have used up your requests of this minute')
  }, 120_000)

  test('without a connection it says so, and shows the results when there is one again', async () => {
    const api = await startTestApp({ sample: true })
    const { page } = await open()
    await page.goto(`${api.url}/?q=pdf`)
    await page.locator('.theme-switch').waitFor()

    await page.locator('#q').fill('pdf')
    await page.getByRole('option').first().waitFor()
    await page.context().setOffline(true)
    await page.locator('#q').fill('kubernetes')
    await page.getByRole('heading', { name: 'You are offline' }).waitFor()
    // Those of the text before.
    await page.getByRole('option').first().waitFor({ state: 'detached' })
    await page.context().setOffline(false)

    await page.getByText(/skills? for “kubernetes”/).waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
  }, 120_000)

  test.each(['{"message": "Sign in to the network"}', '<h1>Sign in to the network</h1>'])(
    'an answer that is none of a catalog is asked for again: %s',
    async (body) => {
      const api = await startTestApp({ sample: true })
      const { page, faults } = await open()
      await page.goto(`${api.url}/?q=pdf`)
      await page.locator('.theme-switch').waitFor()
      await page.route('**/api/v1/**', (route) => route.fulfill({ body, contentType: 'application/json' }))

      await page.locator('#q').fill('kubernetes')
      await page.getByText(/Next attempt in \d+ second/).waitFor()
      await page.unroute('**/api/v1/**')
      await page.getByRole('button', { name: 'Try now' }).click()

      await page.getByText(/skills? for “kubernetes”/).waitFor()
      expect(faults).toEqual([])
    },
    120_000,
  )

  test('a search without results says what to do', async () => {
    const api = await startTestApp({ sample: true })
    const { page } = await open()
    await page.goto(`${api.url}/?q=qqqzzz&license=MIT`)

    await page.getByRole('heading', { name: 'No skill matches' }).waitFor()
    await page.getByRole('link', { name: 'see all skills' }).click()

    expect(await listedNames(page)).toHaveLength(20)
  }, 120_000)

  test('a backend that is down is a page that loads itself again', async () => {
    const api = await startTestApp({
      sample: true,
      replace: ({ index }) => ({
        index: {
          search: async () => Promise.reject(new Error('unreachable')),
          suggest: (text, limit) => index.suggest(text, limit),
          related: (id, limit) => index.related(id, limit),
          status: () => index.status(),
        },
      }),
    })
    const { page } = await open()

    await page.goto(`${api.url}/?q=pdf`)

    expect(await page.locator('h1').textContent()).toBe('The catalog cannot answer at the moment')
    await page.getByText(/loaded again in \d+ seconds?/).waitFor()
  }, 120_000)

  test('one view of a page costs one request, with all that it loads and reads', async () => {
    const api = await startTestApp({ sample: true, config: { rateLimitPerMinute: quota } })
    await api.publishExports()
    let left = await leftOf(api)

    for (const path of [
      '/',
      '/?q=pdf&license=MIT',
      '/skills/quillmoor/pdf-table-lifter',
      '/organizations/quillmoor',
      '/topics/pdf',
      '/statistics',
      '/dataset',
      '/docs',
      '/docs/errors',
      '/nowhere',
    ]) {
      // Nothing is cached in a new browser.
      const { page } = await open()
      await page.goto(`${api.url}${path}`, { waitUntil: 'networkidle' })
      const now = await leftOf(api)
      // One for the page, and one for the question before.
      expect({ path, requests: left - now }).toEqual({ path, requests: 2 })
      left = now
      await page.close()
    }
  }, 240_000)

  test('over the limit a first visitor sees a page, with nothing but itself', async () => {
    const api = await startTestApp({ sample: true, config: { rateLimitPerMinute: 1 } })
    await api.get('/api/v1/stats')
    const { page, faults } = await open({ viewport: { width: 390, height: 844 } })
    const served: [path: string, status: number][] = []
    page.on('response', (response) => served.push([new URL(response.url()).pathname, response.status()]))

    await page.goto(`${api.url}/?q=pdf`, { waitUntil: 'networkidle' })

    expect(served.filter(([, status]) => status === 429)).toEqual([['/', 429]])
    const parts = served.filter(([path]) => path.startsWith('/assets/'))
    expect(parts.length).toBeGreaterThan(1)
    expect(parts.filter(([, status]) => status !== 200)).toEqual([])
    expect(faults).toEqual(['Failed to load resource: the server responded with a status of 429 (Too Many Requests)'])
    expect(await page.locator('h1').textContent()).toBe('You have used up your requests of this minute')
    await page.getByText(/loaded again in \d+ seconds?/).waitFor()
    // Its own styles, and no other file of them.
    expect(served.filter(([path]) => path.endsWith('.css'))).toEqual([])
    expect(await page.evaluate('getComputedStyle(document.querySelector(".site-bar")).display')).toBe('flex')
  }, 120_000)

  test('without any stylesheet, pictures are small', async () => {
    const api = await startTestApp({ sample: true })
    const { page } = await open({ viewport: { width: 390, height: 844 } })
    await page.route(/\.css$/, (route) => route.abort())

    for (const path of ['/?q=pdf', '/statistics']) {
      await page.goto(`${api.url}${path}`, { waitUntil: 'networkidle' })
      const heights = await page.evaluate(
        '[...document.querySelectorAll("svg")].map((svg) => svg.getBoundingClientRect().height)',
      )
      expect(Math.max(...(heights as number[]))).toBeLessThanOrEqual(112)
    }
  }, 120_000)
})
