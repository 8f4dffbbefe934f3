import { readdirSync, utimesSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { writeDataset } from '../../services/indexer/jobs/write-dataset.js'
import { recordTypes } from '../../shared/records/records.js'
import { openDatasetBench, querySqlite, readParquet, saveFile } from '../support/dataset.js'
import { anOrganization, aPrompt, aSkill } from '../support/factories.js'
import { intercepted, type JobBench, openJobBench } from '../support/job-bench.js'
import { withOverrides } from '../support/with-overrides.js'

const clock = () => new Date('2026-03-01T12:00:00.000Z')
const snapshot = '20260301T120000000Z-dataset'

describe('write-dataset', () => {
  test('Parquet has every published record with every public field, in their types, and the other rows of the exports', async () => {
    const bench = await openDatasetBench()

    const result = await bench.run(writeDataset, { clock })

    expect(result).toMatchObject({ snapshot, files: 4, skills: 3, prompts: 1, organizations: 2 })
    const { rows, metadata } = await readParquet(await saveFile(bench.datasets, 'skills', 'parquet'))
    expect(rows.map(({ id }) => id)).toEqual(['acme-labs/tool', 'acme/bare', 'acme/full'])
    expect(rows[2]).toEqual({
      id: 'acme/full',
      owner: 'Acme',
      repo: 'Full',
      name: 'Prüfung, "ganz" 🎉',
      description: 'Extracts tables\nfrom invoices',
      topics: ['pdf', 'ocr'],
      license: 'MIT',
      language: 'Python',
      homepage: 'https://acme.example/',
      url: 'https://github.example/Acme/Full',
      stars: 9_007_199_254_740_991n,
      forks: 7n,
      version: '1.0',
      archived: true,
      createdAt: new Date('2024-01-02T03:04:05.678Z'),
      updatedAt: new Date('2025-01-02T03:04:05.678Z'),
      publishedAt: new Date('2024-06-02T03:04:05.678Z'),
      indexedAt: expect.any(Date),
      ...{ skill: null, path: null, commit: null, digest: null },
      organization: 'acme',
    })
    expect(rows[1]).toMatchObject({ description: null, topics: ['ocr'], stars: null, createdAt: null, archived: false })
    expect(metadata.key_value_metadata).toEqual([
      { key: 'license', value: 'CC-BY-4.0' },
      { key: 'licenseUrl', value: 'https://creativecommons.org/licenses/by/4.0/' },
      { key: 'snapshot', value: snapshot },
      { key: 'generatedAt', value: '2026-03-01T12:00:00.000Z' },
      { key: 'changesSince', value: String((await bench.changes.bounds()).head) },
    ])
    const codecs = metadata.row_groups.flatMap(({ columns }) => columns.map((column) => column.meta_data?.codec))
    expect(new Set(codecs)).toEqual(new Set(['ZSTD']))
    for (const type of ['prompts', 'organizations'] as const) {
      const exported = (await bench.catalog.exportRows(type, 100)).rows
      const byId = (a: object, b: object) => JSON.stringify(a).localeCompare(JSON.stringify(b))
      const { rows: written } = await readParquet(await saveFile(bench.datasets, type, 'parquet'))
      expect(written.map(plain).sort(byId)).toEqual([...exported].sort(byId))
    }
  })

  test('SQLite has the same records, their topics, a full-text index, and the licence', async () => {
    const bench = await openDatasetBench()

    await bench.run(writeDataset, { clock })

    const path = await saveFile(bench.datasets, 'catalog', 'sqlite')
    const query = (sql: string) => querySqlite(path, sql)
    expect(query('SELECT * FROM skills ORDER BY id')[2]).toMatchObject({
      id: 'acme/full',
      topics: '["pdf","ocr"]',
      stars: 9_007_199_254_740_991,
      archived: 1,
      createdAt: '2024-01-02T03:04:05.678Z',
    })
    expect(query('SELECT count(*) AS n FROM skills WHERE createdAt IS NULL AND description IS NULL')).toEqual([
      { n: 2 },
    ])
    expect(
      query(
        "SELECT id FROM skills JOIN skill_topics ON skill_topics.skill = number WHERE topic = 'ocr' ORDER BY stars DESC NULLS LAST",
      ),
    ).toEqual([{ id: 'acme/full' }, { id: 'acme/bare' }])
    expect(
      query("SELECT id FROM skills_text('invoice table') JOIN skills ON number = skills_text.rowid ORDER BY rank"),
    ).toEqual([{ id: 'acme/full' }])
    expect(query('SELECT o.name, s.id FROM skills s JOIN organizations o ON o.login = s.owner ORDER BY s.id')).toEqual([
      { name: null, id: 'acme-labs/tool' },
      { name: 'Acme, Inc.', id: 'acme/bare' },
      { name: 'Acme, Inc.', id: 'acme/full' },
    ])
    expect(
      query('SELECT id, organization FROM skills WHERE organization || 1 IN (SELECT login || 1 FROM organizations)'),
    ).toEqual([
      { id: 'acme-labs/tool', organization: 'acme-labs' },
      { id: 'acme/bare', organization: 'acme' },
      { id: 'acme/full', organization: 'acme' },
    ])
    expect(query('SELECT id, content, topics FROM prompts')).toEqual([
      { id: 'greet', content: 'Say "hi".', topics: '["hello"]' },
    ])
    expect(Object.fromEntries(query('SELECT name, value FROM meta').map(({ name, value }) => [name, value]))).toEqual({
      license: 'CC-BY-4.0',
      licenseUrl: 'https://creativecommons.org/licenses/by/4.0/',
      snapshot,
      generatedAt: '2026-03-01T12:00:00.000Z',
      changesSince: String((await bench.changes.bounds()).head),
    })
    expect(query("INSERT INTO skills_text (skills_text) VALUES ('integrity-check')")).toEqual([])
    expect(query('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }])
    expect(query('PRAGMA journal_mode')).toEqual([{ journal_mode: 'delete' }])
  })

  test('more than 10,000 records are all there, in several row groups', async () => {
    const bench = await openJobBench()
    const skills = Array.from({ length: 20_500 }, (_, n) => aSkill({ repo: `tool-${n}`, name: `Tool ${n}` }))
    await bench.catalog.put('skills', skills)

    await bench.run(writeDataset)

    const { rows, metadata } = await readParquet(await saveFile(bench.datasets, 'skills', 'parquet'))
    expect([rows.length, metadata.row_groups.length]).toEqual([20_500, 2])
    expect(new Set(rows.map(({ id }) => id)).size).toBe(20_500)
    expect((await bench.datasets.snapshots())[0]?.files).toContainEqual(
      expect.objectContaining({ type: 'skills', format: 'parquet', count: 20_500, total: 20_500, truncated: false }),
    )
    const path = await saveFile(bench.datasets, 'catalog', 'sqlite')
    expect(querySqlite(path, 'SELECT count(*) AS n FROM skills')).toEqual([{ n: 20_500 }])
    expect(querySqlite(path, "SELECT count(*) AS n FROM skills_text('tool')")).toEqual([{ n: 20_500 }])
  })

  test('the longest prompts are written', async () => {
    const bench = await openJobBench()
    const longest = (n: number) => aPrompt({ id: `long-${n}`, content: `${'ü'.repeat(199_991)}${n}` })
    const prompts = Array.from({ length: 41 }, (_, n) => longest(n + 10))
    await bench.catalog.put('prompts', prompts)

    await bench.run(writeDataset)

    const { rows, metadata } = await readParquet(await saveFile(bench.datasets, 'prompts', 'parquet'))
    expect(metadata.row_groups.length).toBe(2)
    // Compared by itself: a difference of texts of this length is not to be printed.
    expect(rows.map(({ content }) => content).join() === prompts.map(({ content }) => content).join()).toBe(true)
  })

  test('an empty catalog has files too', async () => {
    const bench = await openJobBench()

    await bench.run(writeDataset)

    for (const type of recordTypes) {
      const { rows, metadata } = await readParquet(await saveFile(bench.datasets, type, 'parquet'))
      expect([rows, Number(metadata.num_rows)]).toEqual([[], 0])
    }
  })

  test('no other field of a record reaches a file, and an invalid record is reported and left out', async () => {
    const bench = await openJobBench()
    const secrets = { contactEmail: 'someone@example.org', moderation: { note: 'secret' } }
    await bench.catalog.put('skills', [{ ...aSkill(), ...secrets }, aSkill({ repo: 'poisoned', name: '' })])
    await bench.catalog.put('prompts', [{ ...aPrompt(), ...secrets }])
    await bench.catalog.put('organizations', [{ ...anOrganization({ login: 'acme' }), ...secrets }])
    const leaking = withOverrides(bench.catalog, {
      scanSkills: async (afterId, limit) =>
        (await bench.catalog.scanSkills(afterId, limit)).map((skill) => ({ ...skill, ...secrets })),
    })

    await bench.run(writeDataset, { catalog: leaking })

    for (const type of recordTypes) {
      const { rows } = await readParquet(await saveFile(bench.datasets, type, 'parquet'))
      expect(JSON.stringify(rows.map(plain))).not.toMatch(/someone@example|secret|moderation|contactEmail/)
      expect(rows).toHaveLength(1)
    }
    const path = await saveFile(bench.datasets, 'catalog', 'sqlite')
    for (const type of recordTypes) {
      expect(JSON.stringify(querySqlite(path, `SELECT * FROM ${type}`))).not.toMatch(/someone@example|secret/)
    }
    expect(bench.findings).toMatchObject([{ kind: 'rejected', id: 'acme/poisoned' }])
  })

  test('a second run publishes only when a record has changed, and two datasets are kept', async () => {
    const bench = await openDatasetBench()
    await bench.run(writeDataset, { clock })

    const second = await bench.run(writeDataset)
    expect(second).toEqual({ snapshot, unchanged: true, skills: 3, prompts: 1, organizations: 2 })
    expect(await bench.datasets.snapshots()).toHaveLength(1)

    for (const day of [2, 3]) {
      await bench.catalog.put('prompts', [aPrompt({ id: 'greet', title: `Of day ${day}` })])
      const later = () => new Date(`2026-03-0${day}T12:00:00.000Z`)
      expect(await bench.run(writeDataset, { clock: later })).toMatchObject({ files: 4 })
    }
    expect((await bench.datasets.snapshots()).map((kept) => kept.snapshot)).toEqual([
      '20260303T120000000Z-dataset',
      '20260302T120000000Z-dataset',
    ])
  })

  test('a run that fails half-way keeps the old dataset, and leaves no file behind', async () => {
    const bench = await openDatasetBench()
    await bench.run(writeDataset, { clock })
    await bench.catalog.put('skills', [aSkill({ repo: 'new' })])
    const failing = withOverrides(bench.catalog, { listIds: () => Promise.reject(new Error('the catalog failed')) })
    const crashing = intercepted(bench.datasets, (name, call) =>
      name === 'publish' ? () => Promise.reject(new Error('the process ended')) : call,
    )

    await expect(bench.run(writeDataset, { catalog: failing })).rejects.toThrow('the catalog failed')
    await expect(bench.run(writeDataset, { datasets: crashing })).rejects.toThrow('the process ended')

    expect((await bench.datasets.snapshots()).map((kept) => kept.snapshot)).toEqual([snapshot])
    expect(workFoldersIn(bench)).toEqual([])
  })

  test.each(['scanSkills', 'publish'])('it stops at %s when it is asked to, and leaves no file', async (at) => {
    const bench = await openDatasetBench()
    const stop = new AbortController()
    const stopping = <Port extends object>(port: Port): Port =>
      intercepted(port, (name, call) => (...args) => {
        if (name === at) {
          stop.abort(new Error('stopped'))
        }
        return call(...args)
      })
    const stores = { catalog: stopping(bench.catalog), datasets: stopping(bench.datasets) }

    await expect(bench.run(writeDataset, { ...stores, signal: stop.signal })).rejects.toThrow('stopped')

    expect(await bench.datasets.snapshots()).toEqual([])
    expect(workFoldersIn(bench)).toEqual([])
  })

  test('the folder of a killed process is deleted when nothing was written in it for an hour', async () => {
    const bench = await openDatasetBench()
    const [old, recent] = ['skill-catalog-dataset-old', 'skill-catalog-dataset-recent']
    for (const name of [old, recent]) {
      await mkdir(join(bench.workFolder, name))
    }
    utimesSync(join(bench.workFolder, old), new Date(0), new Date(0))

    await bench.run(writeDataset)

    expect(workFoldersIn(bench)).toEqual([recent])
  })

  test('a reader of the changes after the dataset misses none of those during the run', async () => {
    const bench = await openDatasetBench()
    const changing = withOverrides(bench.catalog, {
      scanSkills: async (afterId, limit) => {
        const page = await bench.catalog.scanSkills(afterId, limit)
        await bench.catalog.put('skills', [aSkill({ repo: 'aaa-meanwhile' })])
        return page
      },
    })

    await bench.run(writeDataset, { catalog: changing })

    const since = Number((await bench.datasets.snapshots())[0]?.changesSince)
    expect((await bench.changes.after(since, 10)).changes).toMatchObject([{ id: 'acme/aaa-meanwhile' }])
  })
})

const workFoldersIn = (bench: JobBench): string[] =>
  readdirSync(bench.workFolder).filter((name) => name.startsWith('skill-catalog-dataset-'))

/** A row of Parquet as the API gives it. */
const plain = (row: Record<string, unknown>): object =>
  JSON.parse(JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? Number(value) : value)))
