import { expect, test } from '@jest/globals'
import { stateKeys } from '../../shared/state-keys.js'
import { aLock } from '../support/a-lock.js'
import { whenBrowser } from '../support/browser.js'
import { aSkill } from '../support/factories.js'
import { startTestApp } from '../support/test-app.js'
import { listedNames } from './journeys.js'

const today = Math.floor(Date.now() / 86_400_000)
const dateOf = (day: number): string => new Date(day * 86_400_000).toISOString().slice(0, 10)

whenBrowser((open) => {
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
