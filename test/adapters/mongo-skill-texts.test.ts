import { expect, test } from '@jest/globals'
import { defaultDocumentSettings, FieldNamesText } from '../../shared/records/document-settings.js'
import { digestOf } from '../../shared/text/skill-text.js'
import { openCrawledCatalog } from '../support/crawled-catalog.js'
import { aSkill } from '../support/factories.js'
import { keepContents } from '../support/keep-contents.js'
import { whenServer } from '../support/servers.js'

const text = '# Lift\n\nAsk someone@private.example.\n'
const id = 'acme/tool'

whenServer('mongodb', (url) => {
  test('a document keeps its text to itself, unless its field is named', async () => {
    const { address, catalog, skills, ingest, listed } = await openCrawledCatalog(url())
    await skills.insertOne({
      owner: 'acme',
      repo: 'tool',
      readme: text,
      skillMd: text,
      files: ['a.py'],
      tree: ['b.py'],
    })
    await ingest()
    const named = FieldNamesText.parse(JSON.stringify({ skills: { skillMd: 'readme', files: 'tree' } }))
    const settings = { ...defaultDocumentSettings, fields: named }
    const found = { id, digest: null }
    expect([await catalog.readText(found), await catalog.readFiles(found)]).toEqual([null, null])
    const { catalog: cleaned, compare, ingest: ingestNamed } = await openCrawledCatalog(url(), address, settings)
    await compare()

    const kept = text.replace('someone@private.example', '(address removed)')
    expect(await cleaned.readText(found)).toEqual({ text: kept, digest: digestOf(kept) })
    expect(await cleaned.readFiles(found)).toEqual({
      files: [
        { path: 'SKILL.md', size: Buffer.byteLength(text), digest: digestOf(text) },
        { path: 'b.py', size: null, digest: null },
      ],
      total: 2,
    })
    expect(JSON.stringify([await listed(), await cleaned.exportRows('skills', 9)])).not.toContain('Lift')

    expect(await cleaned.readTexts([found])).toEqual(new Map([[id, kept]]))

    await skills.updateOne({}, { $set: { readme: 7 } })
    await ingestNamed()
    expect(await cleaned.readText(found)).toBeNull()
  })

  test('a skill is logged again when another application changes the text in its document', async () => {
    const fields = FieldNamesText.parse(JSON.stringify({ skills: { skillMd: 'readme' } }))
    const { skills, ingest, changes } = await openCrawledCatalog(url(), undefined, {
      fields,
      changedField: 'crawledAt',
    })
    const logged = async () => {
      const { head } = await changes.bounds()
      await ingest()
      return (await changes.after(head, 10)).changes.map((change) => change.id)
    }
    await skills.insertOne({ owner: 'acme', repo: 'tool', readme: text, crawledAt: new Date(0) })
    expect(await logged()).toEqual([id])

    await skills.updateOne({}, { $set: { readme: `${text}More.`, crawledAt: new Date() } })
    expect(await logged()).toEqual([id])
    await skills.updateOne({}, { $set: { notes: 'of the crawler', crawledAt: new Date() } })
    expect(await logged()).toEqual([])
    await skills.updateOne({}, { $unset: { readme: '' }, $set: { crawledAt: new Date() } })
    expect(await logged()).toEqual([id])
  })

  test('another digest in a document is that of another text', async () => {
    const { catalog, db, skills, ingest } = await openCrawledCatalog(url())
    const skill = aSkill({ owner: 'acme', repo: 'tool', digest: digestOf(text) })
    await catalog.put('skills', [skill])
    const files = { files: [], total: 0 }
    await keepContents(catalog, [{ id, digest: digestOf(text), text, files }])
    expect(await catalog.readText(skill)).toEqual({ text, digest: digestOf(text) })

    const digest = digestOf('of the crawler')
    await skills.updateOne({}, { $set: { digest } })
    await ingest()

    expect(await catalog.readText({ id, digest })).toBeNull()
    await keepContents(catalog, [{ id, digest, text: 'of the crawler', files }])
    expect((await catalog.readText({ id, digest }))?.text).toBe('of the crawler')
    // The earlier text is that of no skill.
    expect(await db.collection('texts').countDocuments()).toBe(1)
  })
})
