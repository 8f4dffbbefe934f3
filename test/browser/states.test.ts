import { expect, test } from '@jest/globals'
import { whenBrowser } from '../support/browser.js'
import { startTestApp } from '../support/test-app.js'
import { listedNames } from './journeys.js'

whenBrowser((open) => {
  test('the quota of the reader is shown, and over the limit the time until the next attempt', async () => {
    const api = await startTestApp({ sample: true, config: { rateLimitPerMinute: 16 } })
    const { page } = await open()
    await page.goto(`${api.url}/`)
    const refused = page.getByRole('alert')

    await page.locator('#q').fill('pdf')
    await page.getByText(/^\d+ of 16 requests left this minute$/).waitFor()
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

    await page.context().setOffline(true)
    await page.locator('#q').fill('kubernetes')
    await page.getByRole('heading', { name: 'You are offline' }).waitFor()
    await page.context().setOffline(false)

    await page.getByText(/skills? for “kubernetes”/).waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
  }, 120_000)

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
})
