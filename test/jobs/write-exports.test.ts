import { text } from 'node:stream/consumers'
import { describe, expect, test } from '@jest/globals'
import { computeStats } from '../../services/indexer/jobs/compute-stats.js'
import { writeExports } from '../../services/indexer/jobs/write-exports.js'
import type { ExportFormat } from '../../shared/ports/export-store.js'
import { publicSchemas, type RecordType } from '../../shared/records/records.js'
import { stateKeys } from '../../shared/state-keys.js'
import { anOrganization, aPrompt, aSkill } from '../support/factories.js'
import { type JobBench, openJobBench, wrapped } from '../support/job-bench.js'

const clock = () => new Date('2026-03-01T12:00:00.000Z')

describe('write-exports', () => {
  test('publishes every type in both formats as one snapshot', async () => {
    const bench = await openJobBench()
    await bench.catalog.put('skills', [aSkill(), aSkill({ state: 'hidden' })])
    await bench.catalog.put('prompts', [aPrompt()])
    await bench.catalog.put('organizations', [anOrganization({ login: 'acme' })])

    const result = await bench.run(writeExports, { clock })

    expect(result).toMatchObject({ snapshot: '20260301T120000000Z', files: 6, rows: 3 })
    for (const info of await bench.exports.current()) {
      expect(info).toMatchObject({
        snapshot: '20260301T120000000Z',
        generatedAt: '2026-03-01T12:00:00.000Z',
        total: 1,
        count: 1,
        truncated: false,
      })
    }
  })

  test('the JSON file is the envelope with the records in their public shape', async () => {
    const bench = await openJobBench()
    await bench.catalog.put('prompts', [aPrompt({ id: 'hello', title: 'Hello' })])

    await bench.run(writeExports, { clock })

    const file = JSON.parse(await read(bench, 'prompts', 'json'))
    expect(file).toEqual({
      type: 'prompts',
      license: 'CC-BY-4.0',
      licenseUrl: 'https://creativecommons.org/licenses/by/4.0/',
      snapshot: '20260301T120000000Z',
      generatedAt: '2026-03-01T12:00:00.000Z',
      total: 1,
      count: 1,
      truncated: false,
      data: [expect.objectContaining({ id: 'hello', title: 'Hello' })],
    })
    expect(Object.keys(file.data[0])).toEqual(Object.keys(publicSchemas.prompts.shape))
  })

  test('the CSV file has a header row and a row for each record', async () => {
    const bench = await openJobBench()
    await bench.catalog.put('organizations', [anOrganization({ login: 'acme', name: 'Acme, Inc.' })])
    await bench.catalog.put('skills', [aSkill({ owner: 'Acme', topics: ['pdf', 'ocr'], stars: 5 })])

    await bench.run(writeExports, { clock })

    expect(await read(bench, 'organizations', 'csv')).toBe(
      'login,name,description,url,avatarUrl,skills,stars,topTopics,createdAt,updatedAt\r\n' +
        'acme,"Acme, Inc.",,,,1,5,ocr|pdf,,\r\n',
    )
  })

  test('no stored field outside the public shape reaches a file', async () => {
    const bench = await openJobBench()
    const secrets = { contactEmail: 'someone@example.org', moderation: { note: 'secret' } }
    await bench.catalog.put('skills', [{ ...aSkill(), ...secrets }])
    await bench.catalog.put('prompts', [{ ...aPrompt(), ...secrets }])
    await bench.catalog.put('organizations', [{ ...anOrganization({ login: 'acme' }), ...secrets }])

    await bench.run(writeExports)

    for (const { type, format } of await bench.exports.current()) {
      expect(await read(bench, type, format)).not.toMatch(/someone@example|secret|moderation|contactEmail/)
    }
  })

  test('a store that lets a foreign field through is stopped at the files', async () => {
    const bench = await openJobBench()
    const leaking = wrapped(bench.catalog, {
      exportRows: async (type, limit) => {
        const { total, rows } = await bench.catalog.exportRows(type, limit)
        return { total, rows: rows.map((row) => ({ ...row, contactEmail: 'someone@example.org' })) }
      },
    })
    await bench.catalog.put('prompts', [aPrompt()])

    await bench.run(writeExports, { catalog: leaking })

    expect(await read(bench, 'prompts', 'json')).not.toContain('someone@example')
    expect(await read(bench, 'prompts', 'csv')).not.toContain('someone@example')
  })

  test('a poisoned record is left out and named; the others are published', async () => {
    const bench = await openJobBench()
    await bench.catalog.put('skills', [aSkill({ repo: 'good' }), aSkill({ repo: 'poisoned', name: '' })])

    await bench.run(writeExports)

    const file = JSON.parse(await read(bench, 'skills', 'json'))
    expect(file.data.map(({ id }: { id: string }) => id)).toEqual(['acme/good'])
    expect(file).toMatchObject({ total: 1, count: 1, truncated: false })
    expect(bench.findings).toMatchObject([{ kind: 'rejected', id: 'acme/poisoned' }])
  })

  test('more than 10,000 records are cut, and the cut is told', async () => {
    const bench = await openJobBench()
    await bench.catalog.put(
      'prompts',
      Array.from({ length: 10_001 }, (_, place) => aPrompt({ id: `p${place}` })),
    )

    await bench.run(writeExports)

    const info = (await bench.exports.current()).find(({ type, format }) => type === 'prompts' && format === 'csv')
    expect(info).toMatchObject({ total: 10_001, count: 10_000, truncated: true })
    expect(JSON.parse(await read(bench, 'prompts', 'json'))).toMatchObject({
      total: 10_001,
      count: 10_000,
      truncated: true,
    })
    expect((await read(bench, 'prompts', 'csv')).split('\r\n')).toHaveLength(10_002)
  }, 60_000)

  test('a second run publishes the same records as a new snapshot', async () => {
    const bench = await openJobBench()
    await bench.catalog.put('skills', [aSkill({ repo: 'same' })])
    await bench.run(writeExports, { clock })
    const first = await read(bench, 'skills', 'csv')

    await bench.run(writeExports, { clock: () => new Date('2026-03-01T13:00:00.000Z') })

    expect(await read(bench, 'skills', 'csv')).toBe(first)
    expect((await bench.exports.current())[0]?.snapshot).toBe('20260301T130000000Z')
  })

  test('a catalog that goes away half-way leaves the old snapshot', async () => {
    const bench = await openJobBench()
    await bench.run(writeExports, { clock })
    const leaving = wrapped(bench.catalog, {
      exportRows: (type, limit) =>
        type === 'prompts' ? Promise.reject(new Error('the catalog went away')) : bench.catalog.exportRows(type, limit),
    })

    await expect(bench.run(writeExports, { catalog: leaving })).rejects.toThrow('the catalog went away')

    expect((await bench.exports.current())[0]?.snapshot).toBe('20260301T120000000Z')
  })

  test('the statistics know at once when the files were made', async () => {
    const bench = await openJobBench()
    await bench.run(computeStats)

    await bench.run(writeExports, { clock })

    expect(await bench.catalog.readState(stateKeys.stats)).toMatchObject({
      freshness: { exportsGeneratedAt: '2026-03-01T12:00:00.000Z' },
    })
  })
})

async function read(bench: JobBench, type: RecordType, format: ExportFormat): Promise<string> {
  const opened = await bench.exports.open(type, format)
  return opened === null ? '' : text(opened.stream)
}
