import { expect, test } from '@jest/globals'
import type { Document } from 'mongodb'
import { hashOf } from '../../shared/adapters/servers/mongo-own-member.js'
import { TakeIn } from '../../shared/adapters/servers/mongo-take-in.js'
import { defaultDocumentSettings } from '../../shared/document-settings.js'
import { overlaid } from '../../shared/overlaid.js'
import { openCrawledCatalog } from '../support/crawled-catalog.js'
import { aSkill } from '../support/factories.js'
import { whenServer } from '../support/servers.js'

whenServer('mongodb', (url) => {
  /** A catalog with a skill that is to be taken in, by someone who is overtaken between reading and noting it. */
  async function overtakenBy(write: (crawled: Awaited<ReturnType<typeof openCrawledCatalog>>) => Promise<unknown>) {
    const crawled = await openCrawledCatalog(url())
    const { catalog, skills } = crawled
    await catalog.put('skills', [aSkill({ repo: 'tool' })])
    // As in the middle of that write.
    await skills.updateOne({}, { $unset: { '_catalog.changedAt': '' } })
    const slow = overlaid(skills, {
      bulkWrite: async (...args) => {
        await write(crawled)
        return skills.bulkWrite(...args)
      },
    })
    await new TakeIn(slow, 'skills', defaultDocumentSettings).run(Date.now())
    return crawled
  }

  test('a skill that the catalog hides meanwhile stays hidden', async () => {
    const { listed } = await overtakenBy(({ catalog }) =>
      catalog.put('skills', [aSkill({ repo: 'tool', state: 'hidden' })]),
    )

    expect(await listed()).toEqual([])
  })

  test('one that a crawler changes meanwhile is taken in as it is then', async () => {
    const updatedAt = new Date()
    const { catalog, listed } = await overtakenBy(({ skills }) =>
      skills.updateOne({}, { $set: { hidden: true, updatedAt } }),
    )
    await catalog.changesAfter(null, 10)

    expect(await listed()).toEqual([])
  })

  test('e-mail addresses that an earlier version has noted are gone when the skill is read next, with a change', async () => {
    const { catalog, skills } = await openCrawledCatalog(url())
    await catalog.put('skills', [aSkill({ repo: 'clean' }), aSkill({ repo: 'signed' })])
    const address = 'jane@mail.example'
    const found: Document = (await skills.findOne({ repo: 'signed' })) ?? {}
    const { _id: _identity, _catalog: noted, ...document } = found
    const signed = { ...document, name: address, topics: ['pdf', address] }
    const hash = hashOf(signed, defaultDocumentSettings)
    await skills.updateOne(
      { repo: 'signed' },
      {
        $set: {
          ...signed,
          _catalog: { ...noted, hash, skill: { ...noted.skill, name: address, topics: ['pdf', address] } },
        },
      },
    )
    expect((await catalog.computeStats()).totals.topics).toBe(2)
    const watermark = await catalog.presentWatermark()

    await catalog.scanSkills(null, 10)
    await catalog.scanSkills(null, 10)

    const { changes } = await catalog.changesAfter(watermark, 10)
    expect(changes.map(({ id }) => id)).toEqual(['acme/signed'])
    expect((await catalog.computeStats()).totals.topics).toBe(1)
    expect(JSON.stringify((await skills.findOne({ repo: 'signed' }))?.['_catalog'])).not.toContain('jane')
  })
})
