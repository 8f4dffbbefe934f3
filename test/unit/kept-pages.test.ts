import { expect, test } from '@jest/globals'
import { KeptPages } from '../../shared/adapters/embedded/kept-pages.js'
import { openEmbedded } from '../../shared/adapters/embedded/open-embedded.js'
import type { SkillListPage, SkillListQuery } from '../../shared/ports/skill-reader.js'
import { aSkill } from '../support/factories.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { silentLog } from '../support/test-log.js'

const byStars: SkillListQuery = { filters: {}, sort: 'stars', order: 'desc', limit: 20 }

const aPage = (record: string): SkillListPage => ({
  skills: [{ record, trend: null }],
  total: 1,
  totalIsLowerBound: false,
  next: null,
})

test('a page is read once for each version of the catalog', async () => {
  const pages = new KeptPages()
  let reads = 0
  const read = async () => aPage(String(++reads))

  const first = await pages.find(byStars, 1, read)

  expect(await pages.find(byStars, 1, read)).toBe(first)
  expect(await pages.find({ ...byStars, offset: 20 }, 1, read)).not.toBe(first)
  expect(await pages.find(byStars, 2, read)).not.toBe(first)
  expect(reads).toBe(3)
})

test('a page that was read before a change is not kept for the catalog after it', async () => {
  const pages = new KeptPages()
  let finish = (_page: SkillListPage) => {}
  const slow = pages.find(byStars, 1, () => new Promise((resolve) => (finish = resolve)))
  await pages.find({ ...byStars, limit: 1 }, 2, async () => aPage('other'))
  finish(aPage('old'))

  expect((await slow).skills[0]?.record).toBe('old')
  expect((await pages.find(byStars, 2, async () => aPage('new'))).skills[0]?.record).toBe('new')
})

test('a page that fails is read again', async () => {
  const pages = new KeptPages()
  const lost = async () => Promise.reject(new Error('lost'))

  await expect(pages.find(byStars, 1, lost)).rejects.toThrow('lost')

  expect((await pages.find(byStars, 1, async () => aPage('found'))).skills).toHaveLength(1)
})

test('pages take a limited space', async () => {
  const pages = new KeptPages()
  let reads = 0
  const read = async () => {
    reads += 1
    return aPage('x'.repeat(1_024 * 1_024))
  }
  for (let offset = 0; offset < 200; offset += 20) {
    await pages.find({ ...byStars, offset }, 1, read)
  }

  await pages.find({ ...byStars, offset: 180 }, 1, read)
  expect(reads).toBe(10)
  await pages.find({ ...byStars, offset: 0 }, 1, read)
  expect(reads).toBe(11)
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
