import { expect, test } from '@jest/globals'
import type { Document } from 'mongodb'
import { waitForLock } from '../../services/indexer/runner/wait-for-lock.js'
import { hashOf } from '../../shared/adapters/servers/mongo/catalog/derive-metadata.js'
import { Stamper } from '../../shared/adapters/servers/mongo/ingest/stamper.js'
import { defaultDocumentSettings } from '../../shared/records/document-settings.js'
import { type CrawledCatalog, openCrawledCatalog } from '../support/crawled-catalog.js'
import { aSkill } from '../support/factories.js'
import { whenServer } from '../support/servers.js'
import { withOverrides } from '../support/with-overrides.js'

whenServer('mongodb', (url) => {
  /** A catalog with a new document, and a process that is overtaken between reading the document and stamping it. */
  async function overtakenBy(write: (crawled: CrawledCatalog) => Promise<unknown>): Promise<CrawledCatalog> {
    const crawled = await openCrawledCatalog(url())
    const { skills } = crawled
    await skills.insertOne({ owner: 'acme', repo: 'tool' })
    const slow = withOverrides(skills, {
      bulkWrite: async (...args) => {
        await write(crawled)
        return skills.bulkWrite(...args)
      },
    })
    await new Stamper(slow, 'skills', defaultDocumentSettings).stampNew(new Date())
    return crawled
  }

  const publishedIn = ({ skills }: CrawledCatalog) => skills.countDocuments({ '_catalog.state': 'published' })

  test('a skill that the catalog hides meanwhile stays hidden', async () => {
    const crawled = await overtakenBy(({ catalog }) =>
      catalog.put('skills', [aSkill({ repo: 'tool', state: 'hidden' })]),
    )

    expect(await publishedIn(crawled)).toBe(0)
    await crawled.ingest()
    expect(await publishedIn(crawled)).toBe(0)
  })

  test('one that a crawler changes meanwhile is stamped as it is then', async () => {
    const crawled = await overtakenBy(({ skills }) =>
      skills.updateOne({}, { $set: { hidden: true, updatedAt: new Date() } }),
    )

    expect((await crawled.ingest()).logged).toEqual([])
    expect(await publishedIn(crawled)).toBe(0)
  })

  test('a document that is too large with its metadata is reported once, and does not keep others back', async () => {
    const crawled = await openCrawledCatalog(url())
    const { catalog, documents, ingest, skills } = crawled
    const largest = 16 * 1_024 ** 2 - 150
    await skills.insertMany([
      { owner: 'acme', repo: 'large', notes: 'x'.repeat(largest) },
      { owner: 'acme', repo: 'tool' },
    ])

    const reason = expect.stringContaining('does not accept its catalog metadata')
    expect(await ingest()).toMatchObject({ logged: [{ id: 'acme/tool' }], rejected: [{ id: 'acme/large', reason }] })
    expect(await catalog.listDeadLetters(null, 10)).toMatchObject([{ id: 'acme/large', reason, source: 'document' }])
    expect(await ingest()).toEqual({ logged: [], rejected: [] })
    expect(await catalog.put('skills', [aSkill({ repo: 'other' })])).toMatchObject({ added: 1 })
    const lock = await waitForLock(catalog, 'ingest', 0, new AbortController().signal)
    await documents.ingestIds(['acme/large'], lock)
    await lock.release()
    expect(await catalog.listDeadLetters(null, 10)).toHaveLength(1)

    await skills.updateOne({ repo: 'large' }, { $set: { notes: '' } })
    expect((await ingest()).logged.map(({ id }) => id).sort()).toEqual(['acme/large', 'acme/other'])
    expect(await catalog.listDeadLetters(null, 10)).toEqual([])
  })

  test('the comparison removes e-mail addresses that an earlier version has stored, and logs a change', async () => {
    const crawled = await openCrawledCatalog(url())
    const { catalog, documents, ingest, skills } = crawled
    await catalog.put('skills', [aSkill({ repo: 'clean' }), aSkill({ repo: 'signed' })])
    await ingest()
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

    await documents.scanHashes(null, 10)
    await documents.scanHashes(null, 10)

    expect((await ingest()).logged.map(({ id }) => id)).toEqual(['acme/signed'])
    expect((await catalog.computeStats()).totals.topics).toBe(1)
    expect(JSON.stringify((await skills.findOne({ repo: 'signed' }))?.['_catalog'])).not.toContain('jane')
  })
})
