import { expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { whenBrowser } from '../support/browser.js'
import { aDesk, deskToken } from '../support/desk.js'
import { startOwnRedis, testWithOwnRedis } from '../support/own-servers.js'
import { sampleFolder } from '../support/sample-folder.js'
import { whenServer } from '../support/servers.js'
import { emptyCatalog } from '../support/servers-catalog.js'
import { greetingEnd, nodeStart, serviceStart } from '../support/service-process.js'

async function signIn(page: Page, url: string): Promise<void> {
  await page.goto(url)
  await page.getByLabel('Token').fill(deskToken)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Status' }).waitFor()
}

whenBrowser((open) => {
  test('the desk runs, pauses and resumes a job without scripts, and needs no sideways scrolling', async () => {
    const desk = await aDesk()
    const service = nodeStart({ DATA_DIR: await sampleFolder(), OPERATIONS_TOKEN: deskToken, ...desk.env })
    await service.says(greetingEnd)
    const context = await (await open()).page.context().browser()?.newContext({ javaScriptEnabled: false })
    const page = await context?.newPage()
    if (page === undefined) {
      throw new Error('the browser has ended')
    }
    await page.setViewportSize({ width: 390, height: 800 })

    await signIn(page, desk.url)
    expect(await page.locator('html').evaluate('document.documentElement.scrollWidth')).toBe(390)
    await page.getByRole('button', { name: 'Run rebuild-index' }).click()
    await page.getByRole('status').getByText('rebuild-index was started.').waitFor()
    await page.getByRole('button', { name: 'Pause compute-stats' }).click()
    await page.getByRole('button', { name: 'Resume compute-stats' }).click()
    await page.getByRole('button', { name: 'Pause compute-stats' }).waitFor()
    await page.getByLabel('Owner and repository', { exact: true }).fill('x'.repeat(99))
    await page.getByRole('button', { name: 'Find' }).click()
    await page.getByText('The catalog has no skill').waitFor()
    expect(await page.locator('html').evaluate('document.documentElement.scrollWidth')).toBe(390)
    await page.getByLabel('Owner and repository', { exact: true }).fill('quillmoor/pdf-table-lifter')
    await page.getByRole('button', { name: 'Find' }).click()
    await page.getByRole('button', { name: 'Hide' }).click()
    await page.getByRole('status').getByText('quillmoor/pdf-table-lifter is hidden.').waitFor()
    expect(await page.locator('html').evaluate('document.documentElement.scrollWidth')).toBe(390)
    await page.getByRole('button', { name: 'Publish again' }).click()
    await page.getByRole('button', { name: 'Hide' }).waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Token').waitFor()
    await context?.close()
  }, 120_000)

  test('its script renews the page, and the policy refuses nothing', async () => {
    const desk = await aDesk()
    const service = nodeStart({ DATA_DIR: await sampleFolder(), ...desk.env })
    await service.says(greetingEnd)
    const { page, faults } = await open()

    await page.goto(desk.url)
    await desk.post('/jobs/compute-stats/pause')

    await page.getByRole('button', { name: 'Resume compute-stats' }).waitFor()
    expect(faults).toEqual([])
  }, 120_000)

  whenServer('mongodb', (mongodb) => {
    whenServer('meilisearch', (meilisearch) => {
      testWithOwnRedis('the pages of the queues work without anything of another host', async () => {
        const env = await emptyCatalog(mongodb(), meilisearch(), (await startOwnRedis()).url)
        const desk = await aDesk()
        const indexer = serviceStart('indexer', { ...env, ...desk.env, OPERATIONS_TOKEN: deskToken })
        await indexer.says(greetingEnd)
        const { page } = await open()
        const answeredHosts = new Set<string>()
        page.on('response', (response) => answeredHosts.add(new URL(response.url()).host))

        await signIn(page, desk.url)
        await page.getByRole('link', { name: 'Queues' }).click()
        await page.getByText('compute-stats').first().click()
        await page.waitForURL(/\/queues\/queue\/compute-stats/)
        await page.getByText('compute-stats').nth(1).waitFor()

        expect([...answeredHosts]).toEqual([new URL(desk.url).host])
      })
    })
  })
})
