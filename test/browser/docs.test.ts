import { expect, test } from '@jest/globals'
import { whenBrowser } from '../support/browser.js'
import { startTestApp } from '../support/test-app.js'

whenBrowser((open) => {
  test('the documentation shows every operation and sends requests', async () => {
    const api = await startTestApp({ sample: true })
    const { page, faults } = await open()

    await page.goto(`${api.url}/docs`)
    await page.locator('#swagger-ui .info li').first().waitFor()
    const cut = `[...document.querySelectorAll('#swagger-ui .info *')]
      .filter((element) => element.scrollHeight > element.clientHeight + 1 && getComputedStyle(element).overflow === 'hidden')
      .map(({ textContent }) => textContent)`
    expect(await page.evaluate(cut)).toEqual([])
    await page.locator('#operations-Skills-searchSkills').click()
    await page.locator('#operations-Skills-searchSkills .execute').click()
    await page
      .locator('#operations-Skills-searchSkills .live-responses-table .response .highlight-code')
      .first()
      .waitFor()

    const shown = await page.locator('#operations-Skills-searchSkills .live-responses-table').first().textContent()
    expect(shown).toContain('quillmoor/pdf-table-lifter')
    expect(await page.locator('.opblock').count()).toBeGreaterThan(15)
    expect(faults).toEqual([])
  }, 120_000)

  test('each error code has an entry at the URL of a problem type', async () => {
    const api = await startTestApp()
    const { page, faults } = await open()
    const { body } = await api.get('/api/skills?limit=0')

    await page.goto(new URL(Object(body).type, `${api.url}/api/skills`).href)

    const entry = page.locator('section:target')
    expect(await entry.locator('h2').textContent()).toBe('invalid_parameters')
    expect(faults).toEqual([])
  }, 120_000)
})
