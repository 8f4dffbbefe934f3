import { expect, test } from '@jest/globals'
import { KeptPages, openEmbedded } from '../../shared/adapters/embedded/open-embedded.js'
import type { SkillListPage, SkillListQuery } from '../../shared/ports/skill-reader.js'
import { aSkill } from '../support/factories.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { silentLog } from '../support/test-log.js'

const byStars: SkillListQuery = { filters: {}, sort: 'stars', order: 'desc', limit: 20 }

const aPage = (record: string): SkillListPage => ({
  skills: [{ record, trend: null, others: null }],
  total: 1,
  totalIsLowerBound: false,
  next: null,
})

/** Kept pages of a catalog whose version the test changes. */
function keptPages() {
  const catalog = { version: 1 }
  const pages = new KeptPages(() => catalog.version)
  const change = () => {
    catalog.version += 1
  }
  return { pages, change }
}

test('a page is read once for each version of the catalog', async () => {
  const { pages, change } = keptPages()
  let reads = 0
  const read = async () => aPage(String(++reads))

  const first = await pages.find(byStars, read)

  expect(await pages.find(byStars, read)).toBe(first)
  expect(await pages.find({ ...byStars, offset: 20 }, read)).not.toBe(first)
  change()
  expect(await pages.find(byStars, read)).not.toBe(first)
  expect(reads).toBe(3)
})

test('a page that was read before a change is not kept for the catalog after it', async () => {
  const { pages, change } = keptPages()
  let finish = (_page: SkillListPage) => {}
  const slow = pages.find(byStars, () => new Promise((resolve) => (finish = resolve)))
  change()
  await pages.find({ ...byStars, limit: 1 }, async () => aPage('other'))
  finish(aPage('old'))

  expect((await slow).skills[0]?.record).toBe('old')
  expect((await pages.find(byStars, async () => aPage('new'))).skills[0]?.record).toBe('new')
})

test('a page that fails is read again', async () => {
  const { pages } = keptPages()
  const lost = async () => Promise.reject(new Error('lost'))

  await expect(pages.find(byStars, lost)).rejects.toThrow('lost')

  expect((await pages.find(byStars, async () => aPage('found'))).skills).toHaveLength(1)
})

test('pages take a limited space', async () => {
  const { pages } = keptPages()
  let reads = 0
  const read = async () => {
    reads += 1
    return aPage('x'.repeat(1_024 * 1_024))
  }
  for (let offset = 0; offset < 200; offset += 20) {
    await pages.find({ ...byStars, offset }, read)
  }

  await pages.find({ ...byStars, offset: 180 }, read)
  expect(reads).toBe(10)
  await pages.find({ ...byStars, offset: 0 }, read)
  expect(reads).toBe(11)
})

test('empty pages take some of it', async () => {
  const { pages } = keptPages()
  let reads = 0
  const read = async () => {
    reads += 1
    return { skills: [], total: 0, totalIsLowerBound: false, next: null }
  }
  for (let each = 0; each < 5_000; each += 1) {
    await pages.find({ ...byStars, filters: { owner: `nobody-${each}` } }, read)
  }

  await pages.find({ ...byStars, filters: { owner: 'nobody-4999' } }, read)
  expect(reads).toBe(5_000)
  await pages.find({ ...byStars, filters: { owner: 'nobody-0' } }, read)
  expect(reads).toBe(5_001)
})

test('a service shows each change by a command in the next page', async () => {
  const folder = temporaryFolder()
  const service = await openEmbedded(folder, { threads: true, log: silentLog() })
  const command = await openEmbedded(folder, { threads: false, log: silentLog() })
  const idsOf = (page: SkillListPage) => page.skills.map(({ record }) => JSON.parse(record).id)
  try {
    for (const repo of ['one', 'two', 'three']) {
      await command.catalog.put('skills', [aSkill({ owner: 'acme', repo, topics: ['pdf'] })])
      for (const filters of [{}, { topics: ['pdf'] }]) {
        const page = await service.catalog.listSkills({ ...byStars, filters })
        expect(idsOf(page)).toContain(`acme/${repo}`)
        expect(await service.catalog.listSkills({ ...byStars, filters })).toBe(page)
      }
    }
  } finally {
    await command.close()
    await service.close()
  }
})
