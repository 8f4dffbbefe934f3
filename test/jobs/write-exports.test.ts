import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, expect, test } from '@jest/globals'
import { parse } from 'csv-parse/sync'
import { computeStats } from '../../services/indexer/jobs/compute-stats.js'
import { writeExports } from '../../services/indexer/jobs/write-exports.js'
import { type ExportFile, type ExportFormat, exportEncodings, exportFormats } from '../../shared/ports/export-store.js'
import { type RecordType, recordTypes } from '../../shared/records/records.js'
import { publicSchemas } from '../../shared/records/schemas.js'
import { stateKeys } from '../../shared/state-keys.js'
import { fromCell } from '../../shared/text/format-numbers.js'
import { currentFile, readCurrent } from '../support/export-drafts.js'
import { anOrganization, aPrompt, aSkill } from '../support/factories.js'
import { type JobBench, openJobBench } from '../support/job-bench.js'
import { withOverrides } from '../support/with-overrides.js'

const clock = () => new Date('2026-03-01T12:00:00.000Z')

describe('write-exports', () => {
  test('publishes every type in every format and encoding as one snapshot', async () => {
    const bench = await openJobBench()
    await bench.catalog.put('skills', [aSkill(), aSkill({ state: 'hidden' })])
    await bench.catalog.put('prompts', [aPrompt()])
    await bench.catalog.put('organizations', [anOrganization({ login: 'acme' })])

    const result = await bench.run(writeExports, { clock })

    expect(result).toMatchObject({ snapshot: '20260301T120000000Z', files: 9, rows: 3 })
    const [current, ...others] = await bench.exports.snapshots()
    expect(others).toEqual([])
    expect(current).toMatchObject({ snapshot: '20260301T120000000Z', generatedAt: '2026-03-01T12:00:00.000Z' })
    expect(current?.files.map(({ type, format, encoding }) => `${type} ${format} ${encoding}`)).toEqual(
      recordTypes.flatMap((type) =>
        exportFormats.flatMap((format) => exportEncodings.map((encoding) => `${type} ${format} ${encoding}`)),
      ),
    )
    for (const file of current?.files ?? []) {
      expect(file).toMatchObject({ total: 1, count: 1, truncated: false })
    }
  })

  test('JSON is the envelope with the records in their public shape, NDJSON a record in each line, CSV a row after a header', async () => {
    const bench = await openJobBench()
    await bench.catalog.put('prompts', [aPrompt({ id: 'hello', title: 'Hello' })])
    await bench.catalog.put('organizations', [anOrganization({ login: 'acme', name: 'Acme, Inc.' })])
    await bench.catalog.put('skills', [
      aSkill({ owner: 'Acme', repo: 'many', topics: ['pdf', 'ocr'], stars: 5 }),
      aSkill({ repo: 'few', description: 'line\nbreak\u2028' }),
    ])

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
    expect(await read(bench, 'organizations', 'csv')).toBe(
      'login,name,description,url,avatarUrl,skills,stars,topTopics,createdAt,updatedAt\r\n' +
        'acme,"Acme, Inc.",,,,2,5,ocr|pdf,,\r\n',
    )
    expect((await read(bench, 'skills', 'ndjson')).endsWith('}\n')).toBe(true)
    const lines = await rowsOf(bench, 'skills', 'ndjson')
    expect(lines).toEqual(await rowsOf(bench, 'skills', 'json'))
    expect(lines).toHaveLength(2)
  })

  test('in every file of skills, the last column is the login of the organization, equal to that of its row', async () => {
    const bench = await openJobBench()
    const owners = ['Acme', 'ACME', 'acme', 'null', 'NaN', '-X', '007', 'o.o_o']
    await bench.catalog.put(
      'skills',
      owners.map((owner, place) => aSkill({ owner, repo: `repo-${place}` })),
    )

    await bench.run(writeExports, { clock })

    for (const format of exportFormats) {
      const [skills, organizations] = [
        await rowsOf(bench, 'skills', format),
        await rowsOf(bench, 'organizations', format),
      ]
      expect(Object.keys(skills[0] ?? {})).toEqual([...Object.keys(publicSchemas.skills.shape), 'organization'])
      const logins = organizations.map(({ login }) => login)
      expect(new Set(skills.map(({ organization }) => organization))).toEqual(new Set(logins))
      expect(skills.map(({ id, organization }) => [id, fromCell(String(organization))])).toEqual(
        skills.map(({ id }) => [id, fromCell(String(id)).split('/')[0]]),
      )
      expect([skills.length, logins.length]).toEqual([8, 6])
    }
  })

  test('the packed files hold the same and are smaller', async () => {
    const bench = await openJobBench()
    await bench.catalog.put(
      'skills',
      Array.from({ length: 300 }, (_, place) => aSkill({ description: `Skill number ${place} of many` })),
    )

    await bench.run(writeExports, { clock })

    for (const [encoding, unpack] of [
      ['gzip', gunzipSync],
      ['br', brotliDecompressSync],
    ] as const) {
      for (const format of exportFormats) {
        const packed = await currentFile(bench.exports, 'skills', format, encoding)
        const stream = await bench.exports.open(packed.sha256, null)
        const bytes = Buffer.concat((await stream?.toArray()) ?? [])
        const plain = await read(bench, 'skills', format)
        expect([encoding, format, unpack(bytes).toString()]).toEqual([encoding, format, plain])
        expect(packed.sizeBytes).toBe(bytes.length)
        expect(packed.sizeBytes * 4).toBeLessThan(plain.length)
      }
    }
  })

  test('no stored field outside the public shape reaches a file', async () => {
    const bench = await openJobBench()
    const secrets = { contactEmail: 'someone@example.org', moderation: { note: 'secret' } }
    await bench.catalog.put('skills', [{ ...aSkill(), ...secrets }])
    await bench.catalog.put('prompts', [{ ...aPrompt(), ...secrets }])
    await bench.catalog.put('organizations', [{ ...anOrganization({ login: 'acme' }), ...secrets }])

    const leaking = withOverrides(bench.catalog, {
      exportRows: async (type, limit) => {
        const { total, rows } = await bench.catalog.exportRows(type, limit)
        return { total, rows: rows.map((row) => ({ ...row, ...secrets })) }
      },
    })

    await bench.run(writeExports, { catalog: leaking })

    const [current] = await bench.exports.snapshots()
    expect(current?.files).toHaveLength(27)
    for (const { type, format } of current?.files ?? []) {
      expect(await read(bench, type, format)).not.toMatch(/someone@example|secret|moderation|contactEmail/)
    }
  })

  test('an invalid record is left out and reported; the others are published', async () => {
    const bench = await openJobBench()
    await bench.catalog.put('skills', [aSkill({ repo: 'good' }), aSkill({ repo: 'poisoned', name: '' })])

    await bench.run(writeExports)

    const file = JSON.parse(await read(bench, 'skills', 'json'))
    expect(file.data.map(({ id }: { id: string }) => id)).toEqual(['acme/good'])
    expect(file).toMatchObject({ total: 1, count: 1, truncated: false })
    expect(bench.findings).toMatchObject([{ kind: 'rejected', id: 'acme/poisoned' }])
  })

  test('the snapshot has the position from which to follow its changes', async () => {
    const bench = await openJobBench()
    await bench.catalog.put('skills', [aSkill({ repo: 'before' })])
    const { head } = await bench.changes.bounds()

    await bench.run(writeExports)
    await bench.catalog.put('skills', [aSkill({ repo: 'after' })])

    const since = Number((await bench.exports.snapshots())[0]?.changesSince)
    expect(since).toBe(head)
    expect((await bench.changes.after(since, 10)).changes).toMatchObject([{ id: 'acme/after' }])
  })

  test('the snapshot has no such position before all skills were logged for the first time', async () => {
    const bench = await openJobBench()
    await bench.catalog.put('skills', [aSkill()])
    const bounds = await bench.changes.bounds()
    const changes = withOverrides(bench.changes, { bounds: async () => ({ ...bounds, complete: false }) })

    await bench.run(writeExports, { changes })

    expect(await bench.exports.snapshots()).toMatchObject([{ changesSince: null }])
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

const read = async (bench: JobBench, type: ExportFile['type'], format: ExportFile['format']): Promise<string> =>
  (await readCurrent(bench.exports, type, format)) ?? ''

/** The rows of a file, as its readers get them. */
async function rowsOf(bench: JobBench, type: RecordType, format: ExportFormat): Promise<Record<string, unknown>[]> {
  const text = await read(bench, type, format)
  switch (format) {
    case 'json':
      return JSON.parse(text).data
    case 'ndjson':
      return text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
    case 'csv':
      return parse(text, { columns: true })
  }
}

describe('bounds of the files', () => {
  const readPrompts = async (bench: JobBench, format: 'json' | 'csv'): Promise<string> =>
    (await readCurrent(bench.exports, 'prompts', format)) ?? ''

  test('more than 10,000 records are truncated, and the file says so', async () => {
    const bench = await openJobBench()
    await bench.catalog.put(
      'prompts',
      Array.from({ length: 10_001 }, (_, place) => aPrompt({ id: `p${place}` })),
    )

    await bench.run(writeExports)

    expect(await currentFile(bench.exports, 'prompts', 'csv')).toMatchObject({
      total: 10_001,
      count: 10_000,
      truncated: true,
    })
    expect(JSON.parse(await readPrompts(bench, 'json'))).toMatchObject({
      total: 10_001,
      count: 10_000,
      truncated: true,
    })
    expect((await readPrompts(bench, 'csv')).split('\r\n')).toHaveLength(10_002)
  })

  test('prompts of 200 million characters together are truncated, and the file says so', async () => {
    const bench = await openJobBench()
    await bench.catalog.put(
      'prompts',
      ['a', 'b', 'c'].map((id) => aPrompt({ id, content: 'x'.repeat(10) })),
    )
    // As if each character were ten million.
    const catalog = withOverrides(bench.catalog, {
      exportRows: (type, limit, maxCharacters = 0) => bench.catalog.exportRows(type, limit, maxCharacters / 10_000_000),
    })

    await bench.run(writeExports, { catalog })

    expect(JSON.parse(await readPrompts(bench, 'json'))).toMatchObject({
      total: 3,
      count: 2,
      truncated: true,
      data: [{ id: 'a' }, { id: 'b' }],
    })
  })
})
