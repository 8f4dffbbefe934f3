import { beforeEach, describe, expect, test } from '@jest/globals'
import { toCsv, toJson } from '../../services/indexer/exports/export-files.js'
import type { RecordType } from '../../shared/records/records.js'
import { fileSchemas } from '../../shared/records/schemas.js'
import { type Skill, toSkillRow } from '../../shared/records/skill.js'
import { openImportBench } from '../support/import-bench.js'

const line = (record: object): string => `${JSON.stringify(record)}\n`

describe('rows of an export', () => {
  let bench: Awaited<ReturnType<typeof openImportBench>>
  beforeEach(async () => {
    bench = await openImportBench()
    const kit = { full_name: 'acme/kit', topics: ['pdf'], formerIds: ['acme/was'], crawled: { by: 'x' } }
    const forms = { repo: 'beta/kit', skill: 'forms', path: 'skills/forms', note: '=1' }
    await bench.importFiles({ 's.ndjson': line(kit) + line(forms) })
    await bench.importFiles(
      { 'p.ndjson': line({ id: 'poem', title: 'Poem', prompt: 'Write.', likes: 3 }) },
      { type: 'prompts' },
    )
    await bench.importFiles({ 'o.ndjson': line({ login: 'acme', name: 'Acme', team: 'x' }) }, { type: 'organizations' })
  })

  /** The rows of an export of this type, in each of its formats. */
  async function filesOf(type: RecordType, change: object = {}): Promise<[name: string, text: string][]> {
    const { rows } = await bench.catalog.exportRows(type, 10)
    const all = rows.map((row) => ({ ...(type === 'skills' ? toSkillRow(row as Skill) : row), ...change }))
    return [
      ['a.csv', [...toCsv(Object.keys(fileSchemas[type].shape), all)].join('')],
      ['a.json', [...toJson({ type }, all)].join('')],
      ['a.ndjson', all.map(line).join('')],
    ]
  }
  const stored = async (type: RecordType, id: string) => (await bench.catalog.findStored(type, [id]))[0]?.stored

  test.each<[RecordType, id: string]>([
    ['skills', 'acme/kit'],
    ['skills', 'beta/kit@forms'],
    ['prompts', 'poem'],
    ['organizations', 'acme'],
  ])('change nothing, and keep what is not published: %s, %s', async (type, id) => {
    const before = await stored(type, id)

    for (const [name, text] of await filesOf(type)) {
      for (const dryRun of [true, false]) {
        const { counts } = await bench.importFiles({ [name]: text }, { type, dryRun })

        expect(counts).toMatchObject({ added: 0, changed: 0, rejected: 0, droppedValues: 0 })
        expect(counts.unchanged).toBe(counts.read)
        expect(await stored(type, id)).toEqual(before)
      }
    }
  })

  test('change nothing after a program that writes each cell as a text of JSON', async () => {
    await bench.importFiles({ 'm.ndjson': line({ repo: 'beta/kit', skill: 'mail' }) })
    const [[, csv] = ['', '']] = await filesOf('skills')
    const [header = [], ...rows] = csv
      .trim()
      .split('\r\n')
      .map((row) => row.split(','))
    const records = rows.map((cells) => Object.fromEntries(header.map((name, column) => [name, cells[column]])))

    const { counts } = await bench.importFiles({ 'a.json': JSON.stringify(records) })

    expect(counts).toMatchObject({ read: 3, added: 0, changed: 0, unchanged: 3 })
  })

  test.each<[RecordType]>([['skills'], ['prompts'], ['organizations']])(
    'change nothing after a database that writes names in capitals: %s',
    async (type) => {
      const [, , [, text] = ['', '']] = await filesOf(type)
      const rows = text
        .trim()
        .split('\n')
        .map((row) => Object.entries(JSON.parse(row) as object).map(([name, value]) => [name.toUpperCase(), value]))

      const { counts } = await bench.importFiles(
        { 'a.ndjson': rows.map((row) => line(Object.fromEntries(row))).join('') },
        { type },
      )

      expect(counts).toMatchObject({ added: 0, changed: 0, rejected: 0 })
      expect(counts.unchanged).toBe(counts.read)
    },
  )

  test('change what was edited in them, and nothing else', async () => {
    const before = await stored('skills', 'acme/kit')
    for (const [place, [name, text]] of (await filesOf('skills', { description: 'New.' })).entries()) {
      const { counts } = await bench.importFiles({ [name]: text })

      expect(counts).toMatchObject(place === 0 ? { changed: 2 } : { changed: 0, unchanged: 2 })
    }

    expect(await stored('skills', 'acme/kit')).toEqual({
      ...Object(before),
      description: 'New.',
      indexedAt: expect.any(String),
    })
    expect(await bench.catalog.findSkill('acme/was')).toEqual({ state: 'renamed', presentId: 'acme/kit' })
  })

  test('of owners that the catalog knows by their skills alone add none', async () => {
    const files = await filesOf('organizations')
    bench = await openImportBench()

    for (const [name, text] of files) {
      const { counts } = await bench.importFiles({ [name]: text }, { type: 'organizations' })

      expect(counts).toMatchObject({ read: 2, changed: 0, rejected: 0 })
    }
    expect(await bench.catalog.listIds('organizations', null, 10)).toEqual(['acme'])
  })

  test('with fewer columns are records like others, which replace the whole', async () => {
    await bench.importFiles({ 'a.csv': 'id,owner,repo,name,description\nacme/kit,acme,kit,Kit,New.\n' })

    expect(await stored('skills', 'acme/kit')).not.toHaveProperty('crawled')
    expect(await bench.catalog.findSkill('acme/was')).toEqual({ state: 'unknown' })
  })
})
