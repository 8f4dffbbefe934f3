import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { syncIndex } from '../../services/indexer/jobs/sync-index.js'
import { SqliteDatabase } from '../../shared/adapters/embedded/sqlite/database.js'
import { contentHash } from '../../shared/records/content-hash.js'
import type { StoredSkill } from '../../shared/records/skill.js'
import { openCrawledCatalog } from '../support/crawled-catalog.js'
import { aQuery, aSkill } from '../support/factories.js'
import { openJobBench } from '../support/job-bench.js'
import { type OldChange, writeOldCatalog } from '../support/old-catalog.js'
import { parseFound } from '../support/parse-found.js'
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
  test('a database with metadata of the version before is ingested without a change of log or indexedAt', async () => {
    const { address, catalog, changes, db, skills, ingest } = await openCrawledCatalog(url())
    await skills.insertMany(
      ['one', 'two', 'three'].map((repo) => ({ owner: 'acme', repo, stars: 1, updatedAt: new Date() })),
    )
    await skills.updateOne({ repo: 'three' }, { $set: { hidden: true } })
    await ingest()
    const log = await changes.after(0, 10)
    const found = await catalog.findSkills(['acme/one', 'acme/two'])
    // The earlier form: other names, no content hash, an index since dropped, a watermark in the head of the log.
    for await (const { _id, _catalog } of skills.find()) {
      const { previousIds: left, lastSeen: seen, contentHash: _hash, ...metadata } = _catalog
      await skills.updateOne({ _id }, { $set: { _catalog: { ...metadata, left, seen } } })
    }
    await db.collection('change_log').updateOne({}, { $set: { watermark: 'earlier' } })
    await db.collection('state').deleteMany({})
    await skills.createIndex({ '_catalog.changedAt': 1 }, { name: 'catalog_changes' })

    const again = await openCrawledCatalog(url(), address)
    const { logged: appended } = await again.ingest()

    expect(appended).toEqual([])
    expect(await again.changes.after(0, 10)).toEqual(log)
    expect(await again.catalog.findSkills(['acme/one', 'acme/two'])).toEqual(found)
    await skills.updateOne({ repo: 'one' }, { $set: { stars: 2, updatedAt: new Date() } })
    await again.ingest()
    expect((await again.changes.after(log.head, 10)).changes).toMatchObject([{ id: 'acme/one' }])
  })
})
