import { expect, test } from '@jest/globals'
import { whenBrowser } from '../support/browser.js'
import { aSkill } from '../support/factories.js'
import { startTestApp } from '../support/test-app.js'

whenBrowser((open) => {
  test('searches while typing, filters, and opens a skill, all by keyboard', async () => {
    const api = await startTestApp({ sample: true })
    const { page, faults } = await open()
    await page.goto(`${api.url}/`)
    const results = page.locator('#results li')
    await results.first().waitFor()

    await page.keyboard.press('/')
    await page.keyboard.type('pdf tabel')
    await page.waitForURL(/q=pdf\+tabel/)
    await page.locator('#results:not([aria-busy]) li h2 em').first().waitFor()
    expect(await results.first().locator('h2').textContent()).toBe('PDF Table Lifter')

    const licence = page.getByRole('button', { name: /^MIT \(/ })
    await licence.focus()
    await page.keyboard.press('Enter')
    await page.locator('button[aria-pressed="true"]').waitFor()
    expect(new URLSearchParams(new URL(page.url()).hash.slice(1)).get('license')).toBe('MIT')

    await results.first().locator('a').focus()
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/skills\/quillmoor\/pdf-table-lifter$/)
    expect(await page.locator('h1').textContent()).toBe('PDF Table Lifter')

    await page.goBack()
    await page.locator('button[aria-pressed="true"]').waitFor()
    expect(await page.locator('#q').inputValue()).toBe('pdf tabel')
    expect(faults).toEqual([])
  }, 120_000)

  test('a filter that is pressed before the typed words were searched keeps the words', async () => {
    const api = await startTestApp({ sample: true })
    const { page } = await open()
    await page.goto(`${api.url}/#q=pdf`)
    await page.getByRole('button', { name: /^MIT \(/ }).waitFor()

    // In one task, so that the page has no time to search between the two.
    await page.evaluate(`
      const box = document.querySelector('#q')
      box.value = 'pdf tabel'
      box.dispatchEvent(new Event('input'))
      const filters = [...document.querySelectorAll('#filters button')]
      filters.find(({ textContent }) => textContent.startsWith('MIT (')).click()
    `)

    await page.locator('button[aria-pressed="true"]').waitFor()
    const state = new URLSearchParams(new URL(page.url()).hash.slice(1))
    expect(state.get('q')).toBe('pdf tabel')
    expect(state.get('license')).toBe('MIT')
  }, 120_000)

  test('names and descriptions are escaped on every page', async () => {
    const api = await startTestApp({
      skills: [
        aSkill({
          owner: 'acme',
          repo: 'evil',
          name: '<img src=x onerror=alert(1)>',
          description: '<script>alert(2)</script><em>evil</em>',
        }),
      ],
    })
    const { page, faults } = await open()
    await page.goto(`${api.url}/#q=evil`)
    await page.locator('#results li p em').first().waitFor()

    expect(await page.locator('#results li h2').textContent()).toBe('<img src=x onerror=alert(1)>')
    expect(await page.locator('#results li p').first().textContent()).toBe('<script>alert(2)</script><em>evil</em>')
    await page.goto(`${api.url}/skills/acme/evil`)
    expect(await page.locator('h1').textContent()).toBe('<img src=x onerror=alert(1)>')
    expect(faults).toEqual([])
  }, 120_000)

  test('over the rate limit it shows when it will retry', async () => {
    const api = await startTestApp({ sample: true, config: { rateLimitPerMinute: 10 } })
    const { page } = await open()
    await page.goto(`${api.url}/`)
    const refused = page.getByText(/Trying again in \d+ s\./)

    for (const letter of 'documentation') {
      if (await refused.isVisible()) {
        break
      }
      const answered = page.waitForResponse(/search/)
      await page.locator('#q').press(letter)
      await answered
    }

    await refused.waitFor()
  }, 120_000)
})
