import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { ingest } from '../../services/indexer/jobs/ingest.js'
import { rebuildIndex } from '../../services/indexer/jobs/rebuild-index.js'
import { syncIndex } from '../../services/indexer/jobs/sync-index.js'
import { SqliteDatabase } from '../../shared/adapters/embedded/sqlite/database.js'
import { documentToStored } from '../../shared/adapters/servers/mongo/catalog/document.js'
import { adoptOldLog } from '../../shared/adapters/servers/mongo/ingest/ingest.js'
import { contentHash } from '../../shared/records/content-hash.js'
import { defaultDocumentSettings } from '../../shared/records/document-settings.js'
import type { StoredSkill } from '../../shared/records/skill.js'
import { aLock } from '../support/a-lock.js'
import { openCrawledCatalog } from '../support/crawled-catalog.js'
import { aDocument, aQuery, aSkill } from '../support/factories.js'
import { parseFound } from '../support/found-skills.js'
import { openIndexBench, openJobBench } from '../support/job-bench.js'
import { type OldChange, writeOldCatalog } from '../support/old-catalog.js'
import { whenServer } from '../support/servers.js'
import { temporaryFolder } from '../support/temporary-folder.js'

const indexedAt = '2026-01-01T00:00:00.000Z'
const stored = (repo: string, overrides: Partial<StoredSkill> = {}) => aSkill({ repo, indexedAt, ...overrides })
const logged = (skill: StoredSkill, sequence: number): OldChange => ({
  id: skill.id,
  sequence,
  contentHash: contentHash(skill),
  changedAt: '2026-01-01T00:00:01.000Z',
})

test('a catalog file of the format before keeps its log, logs what was unlogged, and is synced', async () => {
  const dataDir = temporaryFolder()
  const [same, changed, hidden] = [stored('same'), stored('changed', { stars: 1 }), stored('hidden')]
  const [a, b, c] = [1_000, 2_000, 3_000].map((micros) => Date.parse(indexedAt) * 1_000 + micros)
  const removal: OldChange = { id: 'acme/gone', sequence: Number(b), contentHash: null, changedAt: indexedAt }
  await writeOldCatalog(dataDir, 4, {
    skills: [
      same,
      stored('gone', { state: 'removed', removedAt: indexedAt }),
      { ...changed, stars: 2 },
      { ...hidden, state: 'hidden' },
      stored('new'),
      stored('never-published', { state: 'hidden' }),
    ],
    logged: 2,
    changes: [logged(same, Number(a)), removal, logged(changed, Number(c)), logged(hidden, Number(c) + 1_000)],
    horizon: 7_000,
    indexed: [same, changed, hidden],
  })

  const bench = await openJobBench({}, dataDir)
  const before = await bench.changes.after(0, 10)

  expect(before).toMatchObject({ horizon: 7_000, complete: true })
  expect(before.changes.slice(0, 2)).toEqual([logged(same, Number(a)), removal])
  expect(before.changes.slice(2).map(({ id, contentHash: hash }) => [id, hash])).toEqual([
    ['acme/changed', contentHash({ ...changed, stars: 2 })],
    ['acme/hidden', null],
    ['acme/new', contentHash(stored('new'))],
  ])
  expect(before.changes.every(({ sequence }) => sequence % 1_000 === 0)).toBe(true)
  expect(parseFound(await bench.catalog.findSkill('acme/same'))).toMatchObject({ skill: { indexedAt } })
  await expect(bench.index.search(aQuery('same'))).rejects.toMatchObject({ code: 'search_unavailable' })

  expect(await bench.run(syncIndex)).toMatchObject({ rebuilt: true, documents: 3 })
  expect((await bench.index.list(null, 10, 'live')).map(({ id }) => id)).toEqual([
    'acme/changed',
    'acme/new',
    'acme/same',
  ])
  expect(await bench.run(syncIndex)).toEqual({ published: 0, removed: 0, rejected: 0 })
})

test('a catalog file from before repositories of several skills keeps its ids, its log and its index', async () => {
  const dataDir = temporaryFolder()
  const skills = [stored('plain', { description: 'Says ,"skill": in its text.' }), stored('other', { stars: 3 })]
  const first = await openJobBench({}, dataDir)
  await first.catalog.put('skills', skills)
  await first.run(syncIndex)
  const before = await first.changes.after(0, 10)
  const db = new SqliteDatabase(join(dataDir, 'catalog.db'))
  db.exec(`
    UPDATE skills SET record = replace(record, ',"skill":null,"path":null,"commit":null,"digest":null}', '}'),
      more = '{"path":"private","skill":"x"}';
    DROP TABLE texts;
    DROP TABLE skill_texts;
    DELETE FROM facet_totals WHERE facet = 'r';
    PRAGMA user_version = 9;
  `)
  db.close()

  const bench = await openJobBench({}, dataDir)

  expect(await bench.changes.after(0, 10)).toEqual(before)
  expect(await bench.run(syncIndex)).toEqual({ published: 0, removed: 0, rejected: 0 })
  expect((await bench.catalog.computeStats()).totals.repositories).toBe(2)
  for (const { id, description } of skills) {
    expect(parseFound(await bench.catalog.findSkill(id))).toEqual({
      state: 'published',
      skill: expect.objectContaining({ id, description, skill: null, path: null, commit: null, digest: null }),
    })
  }
  expect(await bench.catalog.put('skills', skills)).toMatchObject({ changed: 2 })
  expect(await bench.changes.after(0, 10)).toEqual(before)
})

test('a catalog file without any logged change has all of them logged in their order', async () => {
  const dataDir = temporaryFolder()
  const skills = Array.from({ length: 1_100 }, (_, n) => stored(`tool-${(n * 7) % 1_100}`))
  await writeOldCatalog(dataDir, 4, { skills })

  const bench = await openJobBench({}, dataDir)

  const { changes } = await bench.changes.after(0, 2_000)
  expect(changes.map(({ id }) => id)).toEqual(skills.map(({ id }) => id))
})

whenServer('mongodb', (url) => {
  /** A catalog of the version that kept its metadata in the documents, and its log in a collection of its own. */
  async function anOldDatabase() {
    const crawled = await openCrawledCatalog(url())
    const { db, skills } = crawled
    const at = (n: number) => `2026-01-01T00:00:0${n}.000Z`
    const document = (repo: string, more: object = {}) => ({ owner: 'acme', repo, stars: 1, ...more })
    const metadata = (n: number, more: object = {}) => ({ state: 'published', changedAt: new Date(at(n)), ...more })
    await skills.insertMany([
      { ...document('one'), _catalog: metadata(1, { trend: 7, previousIds: ['acme/earlier'] }) },
      { ...document('two', { stars: 2 }), _catalog: metadata(2, { left: ['acme/older'] }) },
      { ...document('hidden', { hidden: true }), _catalog: metadata(3, { state: 'hidden' }) },
      { ...document('pending'), _catalog: metadata(4) },
      document('new'),
    ])
    const content = (repo: string) => contentHash(mapSkillOf(document(repo, repo === 'two' ? { stars: 1 } : {})))
    const entries = [
      { _id: 'acme/one', sequence: 1_000, contentHash: content('one'), changedAt: at(1) },
      { _id: 'acme/two', sequence: 2_000, contentHash: content('two'), changedAt: at(2) },
      { _id: 'acme/gone', sequence: 3_000, contentHash: null, changedAt: at(3), removedAt: at(3) },
      { _id: 'acme/deleted', sequence: 4_000, contentHash: 'x', changedAt: at(4) },
    ]
    const pending = [{ _id: 'acme/pending', sequence: 5_000, contentHash: content('pending'), changedAt: at(5) }]
    await db.collection<{ _id: string }>('changes').insertMany(entries)
    await db.collection<{ _id: string }>('change_log').insertOne({
      _id: 'head',
      ...{ sequence: 5_000, settled: 4_000, horizon: 500, complete: true, catalog: 'known', epoch: 3, pending },
    })
    return crawled
  }

  /** The skill of a document. */
  const mapSkillOf = (document: object) => documentToStored('skills', document, defaultDocumentSettings) as StoredSkill

  test('a database of the version before keeps sequences, times, former ids and trends', async () => {
    const { catalog, changes, ingest } = await anOldDatabase()

    await ingest()

    const page = await changes.after(0, 10)
    expect(page).toMatchObject({ catalog: 'known', horizon: 500, complete: true })
    expect(page.changes.slice(0, 3).map(({ id, sequence }) => [id, sequence])).toEqual([
      ['acme/one', 1_000],
      ['acme/gone', 3_000],
      ['acme/pending', 5_000],
    ])
    // Changed, deleted or added since the log was written.
    expect(
      page.changes
        .slice(3)
        .map(({ id, contentHash: hash }) => [id, hash === null])
        .sort(),
    ).toEqual([
      ['acme/deleted', true],
      ['acme/new', false],
      ['acme/two', false],
    ])
    expect(parseFound(await catalog.findSkill('acme/one'))).toMatchObject({
      skill: { indexedAt: '2026-01-01T00:00:01.000Z' },
    })
    for (const [former, presentId] of [
      ['earlier', 'one'],
      ['older', 'two'],
    ]) {
      expect(await catalog.findSkill(`acme/${former}`)).toEqual({ state: 'renamed', presentId: `acme/${presentId}` })
    }
    const trending = await catalog.listSkills({ filters: {}, sort: 'trending', order: 'desc', limit: 1 })
    expect(trending.skills).toMatchObject([{ trend: 7 }])
  })

  test('the present index answers until all rows are made', async () => {
    const { catalog, changes, documents, db } = await anOldDatabase()
    const bench = await openIndexBench()
    await bench.index.apply({ publish: [aDocument({ repo: 'one' })], remove: [] }, 'live', aLock())
    const stores = { catalog, changes, ingest: documents }
    await adoptOldLog(db)

    for (const job of [syncIndex, rebuildIndex]) {
      expect(await bench.run(job, stores)).toMatchObject({ waitingFor: 'ingest' })
    }
    expect(await bench.index.list(null, 10, 'live')).toHaveLength(1)

    await bench.run(ingest, stores)
    expect(await bench.run(syncIndex, stores)).toMatchObject({ rebuilt: true, documents: 4 })
  })

  test('an upgrade that is interrupted is continued, and documents stay as they are', async () => {
    const { address, db, skills, changes } = await anOldDatabase()
    const before = await skills.find().toArray()
    await adoptOldLog(db)
    await db.collection('catalog_skills').deleteOne({ sequence: 1_000 })
    await db.collection('change_log').updateOne({}, { $unset: { version: '' } })

    const again = await openCrawledCatalog(url(), address)
    await again.ingest()

    expect(await changes.logged(['acme/one'])).toMatchObject([{ sequence: 1_000 }])
    expect(await skills.find().toArray()).toEqual(before)
    const head = await changes.bounds()
    expect((await again.compare()).logged).toEqual([])
    expect(await changes.bounds()).toEqual(head)
  })
})
