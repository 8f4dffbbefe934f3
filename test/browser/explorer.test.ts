import { expect, test } from '@jest/globals'
import { stateKeys } from '../../shared/state-keys.js'
import { aLock } from '../support/a-lock.js'
import { whenBrowser } from '../support/browser.js'
import { aSkill } from '../support/factories.js'
import { startTestApp } from '../support/test-app.js'
import { listedNames, parametersOf } from './journeys.js'

const today = Math.floor(Date.now() / 86_400_000)
const dateOf = (day: number): string => new Date(day * 86_400_000).toISOString().slice(0, 10)

whenBrowser((open) => {
  test('searches while typing, filters, and opens a skill, all by keyboard', async () => {
    const api = await startTestApp({ sample: true })
    const { page, faults } = await open()
    await page.goto(`${api.url}/`)

    await page.keyboard.press('/')
    await page.keyboard.type('pdf tabel')
    await page.waitForURL(/q=pdf\+tabel/)
    await page.locator('.skill-list h2 em').first().waitFor()
    expect((await listedNames(page))[0]).toBe('PDF Table Lifter')

    const licence = page.getByRole('link', { name: /^MIT/ })
    await licence.focus()
    await page.keyboard.press('Enter')
    await page.locator('.filter[aria-current="true"]').waitFor()
    expect(parametersOf(page).get('license')).toBe('MIT')
    expect(await page.title()).toBe('pdf tabel – Skill Catalog')
    // The filter is another link now, and the keyboard is still on it.
    await page.locator('.skill-list[aria-busy="false"]').waitFor()
    expect(await page.evaluate('document.activeElement.textContent')).toMatch(/^MIT/)

    await page.locator('.skill-list h2 a').first().focus()
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/skills\/quillmoor\/pdf-table-lifter$/)
    expect(await page.locator('h1').textContent()).toBe('PDF Table Lifter')

    await page.goBack()
    await page.locator('.filter[aria-current="true"]').waitFor()
    expect(await page.locator('#q').inputValue()).toBe('pdf tabel')
    expect(faults).toEqual([])
  }, 120_000)

  test('suggestions are chosen with arrows and Enter, and closed with Escape', async () => {
    const api = await startTestApp({ sample: true })
    const { page, faults } = await open()
    await page.goto(`${api.url}/statistics`)
    const box = page.locator('#q')
    const options = page.getByRole('option')

    await page.keyboard.press('/')
    await page.keyboard.type('pdf ta')
    await options.first().waitFor()
    expect(await box.getAttribute('aria-expanded')).toBe('true')
    await page.keyboard.press('Escape')
    await options.first().waitFor({ state: 'hidden' })
    expect([await box.inputValue(), await box.getAttribute('aria-expanded')]).toEqual(['pdf ta', 'false'])
    await page.keyboard.press('Escape')
    expect(await box.inputValue()).toBe('')

    await page.keyboard.type('pdf table')
    await options.first().waitFor()
    await page.keyboard.press('ArrowDown')
    const active = String(await box.getAttribute('aria-activedescendant'))
    expect(await page.locator(`#${active}`).getAttribute('aria-selected')).toBe('true')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/skills\/quillmoor\/pdf-table-lifter$/)
    expect(faults).toEqual([])
  }, 120_000)

  test('a suggestion that was chosen among others is not another one when the next come', async () => {
    const api = await startTestApp({ sample: true })
    const { page } = await open()
    const suggested = (...ids: string[]) => ({ data: ids.map((id) => ({ id, name: id, stars: null })) })
    let release: () => void = () => undefined
    const isReleased = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route('**/suggest?q=pdf&*', (route) => route.fulfill({ json: suggested('a/first', 'a/second') }))
    await page.route('**/suggest?q=pdfx&*', async (route) => {
      await isReleased
      await route.fulfill({ json: suggested('a/third', 'a/first') })
    })
    await page.goto(`${api.url}/statistics`)
    const chosen = page.locator('[role="option"][aria-selected="true"]')

    await page.keyboard.press('/')
    await page.keyboard.type('pdf')
    await page.getByRole('option').first().waitFor()
    await page.keyboard.type('x')
    await page.keyboard.press('ArrowDown')
    expect(await chosen.textContent()).toContain('a/first')
    release()
    await page.getByText('a/third').first().waitFor()

    expect(await chosen.textContent()).toContain('a/first')
  }, 120_000)

  test('the first Tab leads to a link that skips to the content', async () => {
    const api = await startTestApp({ sample: true })
    const { page } = await open()
    await page.goto(`${api.url}/topics/pdf`)

    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the content')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.closest("main") !== null')).toBe(true)
  }, 120_000)

  test('a filter that is pressed before the typed words were searched keeps the words', async () => {
    const api = await startTestApp({ sample: true })
    const { page } = await open()
    await page.goto(`${api.url}/?q=pdf`)
    await page.getByRole('link', { name: /^MIT/ }).waitFor()

    // In one task, so that the page has no time to search between the two.
    await page.evaluate(`
      const box = document.querySelector('#q')
      box.value = 'pdf tabel'
      box.dispatchEvent(new Event('input', { bubbles: true }))
      const filters = [...document.querySelectorAll('.filter')]
      filters.find(({ textContent }) => textContent.startsWith('MIT')).click()
    `)

    await page.locator('.filter[aria-current="true"]').waitFor()
    expect(parametersOf(page).get('q')).toBe('pdf tabel')
    expect(parametersOf(page).get('license')).toBe('MIT')
  }, 120_000)

  test('names and descriptions are escaped on every page', async () => {
    const name = '<img src=x onerror=alert(1)>'
    const api = await startTestApp({
      skills: [
        aSkill({
          owner: 'acme',
          repo: 'evil',
          name,
          description: '<script>alert(2)</script><em>evil</em> &amp; "\'',
          topics: ['<b>evil</b>'],
        }),
      ],
    })
    const { page, faults } = await open()

    await page.goto(`${api.url}/?q=evil`)
    await page.locator('.card-text em').first().waitFor()
    for (const path of ['/?q=evil', '/?owner=acme', '/organizations/acme', '/topics/%3Cb%3Eevil%3C%2Fb%3E']) {
      await page.goto(`${api.url}${path}`)
      expect([path, ...(await listedNames(page))]).toEqual([path, name])
      expect(await page.locator('.card-text').first().textContent()).toBe(
        '<script>alert(2)</script><em>evil</em> &amp; "\'',
      )
    }
    await page.goto(`${api.url}/skills/acme/evil`)
    expect(await page.locator('h1').textContent()).toBe(name)
    expect(faults).toEqual([])
  }, 120_000)

  test('what has been recorded over time is shown: trends, stars of a skill, growth of the catalog', async () => {
    const skills = ['rising', 'steady'].map((repo) => aSkill({ repo, name: repo, stars: 30 }))
    const api = await startTestApp({ skills })
    const { catalog } = api.stores
    const days: [number, number][] = [
      [today - 40, 3],
      [today - 20, 10],
      [today - 1, 30],
    ]
    await catalog.writeHistories([{ id: 'acme/rising', days, trend: 200_000_027 }], aLock())
    const totals = { repositories: 1, prompts: 0, organizations: 1, topics: 0, stars: 60 }
    await catalog.writeState(
      stateKeys.catalogHistory,
      [9, 4, 0].map((ago, place) => ({ date: dateOf(today - ago), skills: place + 1, ...totals })),
      aLock(),
    )
    const { page, faults } = await open()

    await page.goto(api.url)
    const trending = page.getByRole('region', { name: 'Trending' })
    expect(await trending.getByRole('listitem').allTextContents()).toEqual([expect.stringContaining('+20 in 7 days')])
    await trending.getByRole('link', { name: 'All by trend' }).click()
    expect(await listedNames(page)).toEqual(['rising', 'steady'])
    // Words have no trend: they are searched for best match first.
    await page.locator('#q').fill('steady')
    await page.getByText('1 skill for “steady”').waitFor()
    await page.goto(`${api.url}/skills/acme/rising`)
    const stars = page.getByRole('region', { name: 'Stars' }).getByRole('img')
    expect(await stars.getAttribute('aria-label')).toMatch(/^From 3 stars on .+ to 30 stars on /)
    await page.goto(`${api.url}/statistics`)
    const growth = page.getByRole('region', { name: 'Growth' }).getByRole('img')
    expect(await growth.getAttribute('aria-label')).toMatch(/^From 1 skill on .+ to 3 skills on /)
    expect(faults).toEqual([])
  }, 120_000)
})
