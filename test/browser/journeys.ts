import { readFile } from 'node:fs/promises'
import { expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import type { OpenPage } from '../support/browser.js'

/** The names of the listed skills, when they are those of the address. */
export async function listedNames(page: Page): Promise<(string | null)[]> {
  const list = page.locator('.skill-list[aria-busy="false"]')
  await list.locator('h2').first().waitFor()
  return list.locator('h2').allTextContents()
}

export const parametersOf = (page: Page): URLSearchParams => new URL(page.url()).searchParams

/**
 * What people do on the pages, in a browser and on a service with the sample.
 *
 * @param url of the service
 */
export function journeys(open: OpenPage, url: () => string): void {
  test('search while typing, filter, share the address, open a skill, go back', async () => {
    const { page, faults } = await open()
    await page.goto(url())

    await page.locator('#q').fill('pdf tabel')
    await page.waitForURL(/\?q=pdf\+tabel$/)
    await page.locator('.skill-list em').first().waitFor()
    expect((await listedNames(page))[0]).toBe('PDF Table Lifter')

    await page.getByRole('link', { name: /^MIT/ }).click()
    await page.waitForURL(/license=MIT/)
    await page.locator('.filter[aria-current="true"]').waitFor()
    const shown = await listedNames(page)

    const { page: other } = await open()
    await other.goto(page.url())
    expect(await listedNames(other)).toEqual(shown)
    expect(await other.locator('#q').inputValue()).toBe('pdf tabel')

    await page.locator('.skill-list h2 a').first().click()
    await page.waitForURL(/\/skills\/quillmoor\/pdf-table-lifter$/)
    expect(await page.locator('h1').textContent()).toBe('PDF Table Lifter')
    await page.goBack()
    expect(await listedNames(page)).toEqual(shown)
    await page.goBack()
    await page.waitForURL(/\?q=pdf\+tabel$/)
    await page.locator('.filter[aria-current="true"]').waitFor({ state: 'detached' })
    await page.goBack()
    await page.getByRole('heading', { name: 'Find a skill for your agent' }).waitFor()
    expect(await page.locator('#q').inputValue()).toBe('')
    expect(faults).toEqual([])
  }, 120_000)

  test('order, page and reason of the results', async () => {
    const { page, faults } = await open()
    await page.goto(`${url()}/?q=pdf`)

    await page.locator('.why-here summary').first().click()
    expect(await page.locator('.why-here[open]').textContent()).toMatch(/pdf found as written, in the/)

    await page.getByRole('link', { name: 'Next →' }).click()
    await page.waitForURL(/page=2/)
    await page.getByText(/^Page 2 of/).waitFor()
    expect(await page.evaluate('document.activeElement.id')).toBe('results')
    expect(await page.locator('.skill-list li').first().isVisible()).toBe(true)
    await page.getByRole('link', { name: 'Name', exact: true }).click()
    await page.waitForURL(/sort=name/)
    await page.locator('.sort-links [aria-current="true"]', { hasText: 'Name' }).waitFor()
    const names = (await listedNames(page)).map(String)

    expect(names).toEqual([...names].sort((a, b) => a.toLowerCase().localeCompare(b.toLowerCase(), 'en')))
    expect(parametersOf(page).get('page')).toBeNull()
    expect(faults).toEqual([])
  }, 120_000)

  test('from a skill to its topic, its organization and a related skill', async () => {
    const { page, faults } = await open()
    await page.goto(`${url()}/skills/quillmoor/pdf-table-lifter`)

    await page.getByRole('region', { name: 'Description' }).getByRole('link', { name: 'ocr' }).click()
    await page.waitForURL(/\/topics\/ocr$/)
    expect(await listedNames(page)).toContain('PDF Table Lifter')
    await page.goBack()
    await page.getByRole('link', { name: 'Quillmoor', exact: true }).click()
    await page.waitForURL(/\/organizations\/quillmoor$/)
    expect(await page.locator('h1').textContent()).toBe('Quillmoor')
    await page.getByRole('link', { name: 'Next →' }).click()
    await page.waitForURL(/page=2$/)
    await page.goBack()
    await page.goBack()
    await page.getByRole('region', { name: 'Related skills' }).getByRole('link').first().click()
    await page.waitForURL(/\/skills\/(?!quillmoor\/pdf-table-lifter)/)
    expect(faults).toEqual([])
  }, 120_000)

  test('copy a line, download a file', async () => {
    const { page, faults } = await open({ permissions: ['clipboard-read', 'clipboard-write'] })
    await page.goto(`${url()}/skills/quillmoor/pdf-table-lifter`)

    await page.getByRole('button', { name: 'Copy: Clone the repository' }).click()
    await page.getByText('Copied').waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
      'git clone https://github.example/Quillmoor/pdf-table-lifter',
    )

    await page.getByRole('link', { name: 'Dataset' }).click()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'skills.ndjson' }).click(),
    ])
    const [first = ''] = (await readFile(await download.path(), 'utf8')).split('\n')
    expect(JSON.parse(first)).toMatchObject({ id: expect.any(String), stars: expect.any(Number) })
    expect(faults).toEqual([])
  }, 120_000)

  test('statistics lead to what they count', async () => {
    const { page, faults } = await open()
    await page.goto(`${url()}/statistics`)

    const row = page.getByRole('region', { name: 'Languages' }).getByRole('listitem').first()
    const [language, count] = [await row.getByRole('link').textContent(), await row.locator('.bar-value').textContent()]
    await row.getByRole('link').click()

    await page.getByText(`${count} skills`, { exact: true }).waitFor()
    expect(parametersOf(page).get('language')).toBe(language)
    expect(faults).toEqual([])
  }, 120_000)
}
