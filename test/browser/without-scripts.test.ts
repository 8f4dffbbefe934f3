import { expect, test } from '@jest/globals'
import { whenBrowser } from '../support/browser.js'
import { sharedTestApp } from '../support/test-app.js'
import { parametersOf } from './journeys.js'

whenBrowser((open) => {
  const api = sharedTestApp({ sample: true }, async (started) => {
    await started.publishExports()
    await started.publishDataset()
  })

  test('without scripts: search, filter, order, open a skill', async () => {
    const { page, faults } = await open({ javaScriptEnabled: false })
    await page.goto(api().url)

    await page.locator('#q').fill('pdf tabel')
    await page.getByRole('button', { name: 'Search' }).click()
    expect(parametersOf(page).get('q')).toBe('pdf tabel')
    await page.getByRole('link', { name: /^MIT/ }).click()
    await page.getByRole('link', { name: 'Stars', exact: true }).click()
    // The form keeps what was chosen.
    await page.locator('#q').fill('pdf')
    await page.getByRole('button', { name: 'Search' }).click()
    expect(Object.fromEntries(parametersOf(page))).toEqual({ q: 'pdf', license: 'MIT', sort: 'stars' })
    expect(await page.locator('.skill-list em').count()).toBeGreaterThan(0)

    await page.locator('.skill-list h2 a').first().click()
    expect(await page.locator('h1').textContent()).toBe('PDF Table Lifter')
    expect(await page.getByRole('button', { name: 'Copy: Clone the repository' }).isVisible()).toBe(false)
    expect(faults).toEqual([])
  }, 120_000)

  test('an empty search shows the first view', async () => {
    const { page } = await open({ javaScriptEnabled: false })
    await page.goto(api().url)

    await page.getByRole('button', { name: 'Search' }).click()

    expect(await page.locator('h1').textContent()).toBe('Find a skill for your agent')
  }, 120_000)

  const pages = [
    '/',
    '/?q=pdf+tabel&license=MIT',
    '/?topic=pdf&sort=name&page=2',
    '/?sort=stars',
    '/organizations',
    '/topics',
    '/repositories?sort=name',
    '/statistics',
    '/dataset',
    '/topics/pdf',
    '/organizations/quillmoor?page=2',
    '/skills/quillmoor/pdf-table-lifter',
    '/docs/errors',
  ]
  test.each(pages)(
    '%s has its content without scripts, and the same with them',
    async (path) => {
      const { page: still, faults } = await open({ javaScriptEnabled: false })
      await still.goto(`${api().url}${path}`)
      const { page: live } = await open()
      await live.goto(`${api().url}${path}`, { waitUntil: 'networkidle' })

      const rendered = await still.locator('.page').innerHTML()
      expect(rendered.length).toBeGreaterThan(3_000)
      expect(await live.locator('.page').innerHTML()).toBe(rendered)
      expect(faults).toEqual([])
    },
    120_000,
  )
})
