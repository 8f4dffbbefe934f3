import { expect, test } from '@jest/globals'
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
})
