import { readdir } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { beforeEach, describe, expect, test } from '@jest/globals'
import type { RecordType } from '../../shared/records/records.js'
import { aSkill } from '../support/factories.js'
import { openImportBench } from '../support/import-bench.js'
import { line } from '../support/import-input.js'

describe('importing skills', () => {
  let bench: Awaited<ReturnType<typeof openImportBench>>
  beforeEach(async () => {
    bench = await openImportBench()
  })

  describe('a record with only an identity and a state changes the state alone', () => {
    const full = '{"owner":"Acme","repo":"tool","description":"All of it.","topics":["pdf"],"stars":5,"note":"kept"}\n'
    const stored = async (type: RecordType, id: string) =>
      Object(await bench.catalog.findStored(type, [id]).then(([found]) => found?.stored))

    test.each([
      ['{"owner":"acme","repo":"tool","state":"hidden"}', 'hidden'],
      ['{"full_name":"acme/tool","private":true,"pushed_at":"2026-01-01T00:00:00Z"}', 'hidden'],
      ['{"url":"https://github.com/acme/tool","isHidden":"yes","description":"","topics":null}', 'hidden'],
      ['{"id":"acme/tool","state":"removed","reason":"spam"}', 'removed'],
      ['{"owner":"acme","repo":"tool","deleted":true,"deletedAt":"2026-01-05T10:00:00Z"}', 'removed'],
    ])('%s', async (line, state) => {
      await bench.importFiles({ 'skills.ndjson': full })

      const first = await bench.importFiles({ 'states.ndjson': line })
      const again = await bench.importFiles({ 'states.ndjson': line })
      const marked = await stored('skills', 'acme/tool')
      await bench.importFiles({ 'states.ndjson': '{"owner":"acme","repo":"tool","state":"published"}' })

      const count = { added: 0, changed: state === 'removed' ? 0 : 1, removed: state === 'removed' ? 1 : 0 }
      expect(first.counts).toMatchObject({ read: 1, unchanged: 0, rejected: 0, ...count })
      expect(again.counts).toMatchObject({ changed: 0, removed: 0, unchanged: 1 })
      const content = { owner: 'Acme', description: 'All of it.', topics: ['pdf'], stars: 5, note: 'kept' }
      expect(marked).toMatchObject({ ...content, state })
      expect(await stored('skills', 'acme/tool')).toMatchObject({ ...content, state: 'published', removedAt: null })
    })

    test('of prompts and organizations, and from rows of CSV with empty cells', async () => {
      await bench.importFiles({ 'p.ndjson': '{"id":"poem","title":"Poem","prompt":"Write one."}' }, { type: 'prompts' })
      await bench.importFiles(
        { 'o.ndjson': '{"login":"acme","name":"Acme","bio":"Tools."}' },
        { type: 'organizations' },
      )

      await bench.importFiles({ 'p.csv': 'id,title,prompt,state\npoem,,,hidden\n' }, { type: 'prompts' })
      await bench.importFiles({ 'o.csv': 'login,name,state\nacme,,hidden\n' }, { type: 'organizations' })

      expect(await stored('prompts', 'poem')).toMatchObject({ title: 'Poem', content: 'Write one.', state: 'hidden' })
      expect(await stored('organizations', 'acme')).toMatchObject({ description: 'Tools.', state: 'hidden' })
    })

    test('in one file with the whole record, in either order', async () => {
      const hide = '{"owner":"acme","repo":"tool","state":"hidden"}\n'
      for (const file of [full + hide, hide + full, hide + full + hide]) {
        for (const recordsPerPut of [1, 100]) {
          bench = await openImportBench()
          await bench.importFiles({ 'skills.ndjson': file }, { recordsPerPut })

          expect(await stored('skills', 'acme/tool')).toMatchObject({ description: 'All of it.', state: 'hidden' })
        }
      }
    })

    test('an unknown skill is hidden before it comes, and an unknown prompt is rejected', async () => {
      await bench.importFiles({ 'skills.ndjson': '{"owner":"acme","repo":"tool","state":"hidden"}' })
      await bench.importFiles({ 'skills.ndjson': full })
      const { counts } = await bench.importFiles({ 'p.ndjson': '{"id":"poem","state":"hidden"}' }, { type: 'prompts' })

      expect(await stored('skills', 'acme/tool')).toMatchObject({ stars: 5, state: 'hidden' })
      expect(counts).toMatchObject({ read: 1, added: 0, rejected: 1 })
      expect(bench.messages).toEqual([
        'p.ndjson, line 1: title: is missing; content: is missing; there is no record of this id whose state could change',
      ])
    })

    test('a dry run says the same and changes nothing', async () => {
      await bench.importFiles({ 'skills.ndjson': full })
      const hide = { 'states.ndjson': '{"owner":"acme","repo":"tool","state":"hidden"}' }

      expect((await bench.importFiles(hide, { dryRun: true })).counts).toMatchObject({ added: 0, changed: 1 })
      expect(await stored('skills', 'acme/tool')).toMatchObject({ state: 'published' })
    })
  })

  test('records of every form are added', async () => {
    const { counts } = await bench.importFiles({
      'a.ndjson': line('a'),
      'b.json': `[${line('b')}]`,
      'c.csv': 'owner,repo\nacme,c\n',
      'd.jsonl.gz': gzipSync(line('d')),
      'e.csv.gz': gzipSync('owner,repo\nacme,e\n'),
      f: line('f'),
      '-': '\ufeffowner;repo\nacme;g\n',
    })

    expect(bench.messages).toEqual([])
    expect(counts).toMatchObject({ read: 7, added: 7, rejected: 0, sourcesRead: 7, sourcesUnreadable: 0 })
    expect(await bench.ids()).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((repo) => `acme/${repo}`))
  })

  test('documents over several lines are read under the name of NDJSON, too', async () => {
    const documents = ['a', 'b'].map((repo) => ({ owner: 'acme', repo }))
    const { counts } = await bench.importFiles({
      'a.jsonl': documents.map((each) => `${JSON.stringify(each, null, 2)}\n`).join(''),
      'c.jsonl': `[${documents.map((each) => JSON.stringify(each)).join(',\n')}]\n`,
      'b.ndjson': `\ufeff${JSON.stringify(documents, null, 2).replaceAll('\n', '\r\n')}`,
    })

    expect(bench.messages).toEqual([])
    expect(counts).toMatchObject({ read: 6, added: 2, rejected: 0 })
  })

  test('a file that cannot be read is closed', async () => {
    const openFiles = async () => (await readdir('/proc/self/fd')).length
    const before = await openFiles()
    const { counts } = await bench.importFiles({
      'a.csv': Buffer.from(`\ufeff${'owner,repo\n'.repeat(10_000)}`, 'utf16le'),
    })

    expect(counts).toMatchObject({ sourcesUnreadable: 1 })
    for (let tries = 0; tries < 500 && (await openFiles()) > before; tries += 1) {
      await sleep(10)
    }
    expect(await openFiles()).toBeLessThanOrEqual(before)
  })

  const twice = line('a', { stars: 1 }) + line('b') + line('c') + line('d') + line('a', { stars: 2 })
  const removedFirst = `${line('a', { state: 'removed' })}${twice}`
  const removedLast = `${twice}${line('a', { state: 'removed' })}`
  test.each<[what: string, type: RecordType, text: string, last: object]>([
    ['next to each other', 'skills', line('a', { stars: 1 }) + line('a', { stars: 2 }), { stars: 2 }],
    ['far from each other', 'skills', twice, { stars: 2 }],
    ['three times', 'skills', twice + twice, { stars: 2 }],
    ['first a removed one', 'skills', removedFirst, { stars: 2, state: 'published' }],
    ['last a removed one', 'skills', removedLast, { state: 'removed' }],
    [
      'of prompts',
      'prompts',
      '{"id":"a","title":"T","content":"x"}\n{"id":"b","title":"T","content":"y"}\n{"id":"a","title":"T","content":"z"}\n',
      { content: 'z' },
    ],
    [
      'of organizations',
      'organizations',
      '{"login":"a","name":"x"}\n{"login":"b"}\n{"login":"A","name":"z"}\n',
      { name: 'z' },
    ],
  ])(
    'records of one id, %s: the last one counts, and the same file again changes nothing',
    async (_what, type, text, last) => {
      for (const recordsPerPut of [1, 2, 100]) {
        bench = await openImportBench()
        const id = type === 'skills' ? 'acme/a' : 'a'
        const file = { 'a.ndjson': text }
        await bench.catalog.put('skills', [aSkill({ owner: 'acme', repo: 'a' })])
        await bench.importFiles(file, { type, recordsPerPut })
        const first = await bench.catalog.findStored(type, [id])
        const { counts } = await bench.importFiles(file, { type, recordsPerPut })
        const { counts: replacing, notReplaced } = await bench.importFiles(file, { type, recordsPerPut, replace: true })
        const { counts: preview } = await bench.importFiles(file, { type, recordsPerPut, dryRun: true })

        expect(first).toMatchObject([{ id, stored: last }])
        expect(await bench.catalog.findStored(type, [id])).toEqual(first)
        const nothing = { added: 0, changed: 0, removed: 0, unchanged: counts.read }
        expect([counts, replacing, preview]).toEqual([nothing, nothing, nothing].map(expect.objectContaining))
        expect(notReplaced).toBe(null)
      }
    },
  )

  test('of two records of one id, a hidden one stays hidden where the later one has no state', async () => {
    const texts = [line('a', { hidden: true }), line('b'), line('c'), line('a', { stars: 2 })].join('')
    for (const recordsPerPut of [1, 100]) {
      await bench.catalog.put('skills', [aSkill({ owner: 'acme', repo: 'a' })])
      await bench.importFiles({ 'a.ndjson': texts }, { recordsPerPut })

      expect(await bench.catalog.findStored('skills', ['acme/a'])).toMatchObject([
        { stored: { state: 'hidden', stars: 2 } },
      ])
    }
  })

  test('more changes than a batch has are written, in the order of the last ones', async () => {
    const many = (stars: number) => Array.from({ length: 25 }, (_, at) => line(`s${at}`, { stars })).join('')
    await bench.importFiles({ 'a.ndjson': many(1) })

    const { counts } = await bench.importFiles({ 'a.ndjson': many(2) + many(3) }, { recordsPerPut: 10 })

    expect(counts).toMatchObject({ read: 50, added: 0, changed: 25, unchanged: 25 })
    expect(await bench.catalog.findStored('skills', ['acme/s24'])).toMatchObject([{ stored: { stars: 3 } }])
  })

  test('a file that cannot be read to its end is reported, and the records before stay', async () => {
    const whole = gzipSync(Array.from({ length: 2_000 }, (_, index) => line(`s${index}`)).join(''))

    const { counts } = await bench.importFiles({
      'cut.ndjson.gz': whole.subarray(0, whole.length / 2),
      'a.ndjson': line('a'),
    })

    expect(bench.messages).toContain('cut.ndjson.gz ends in the middle of its gzip data: the file is truncated.')
    expect(counts).toMatchObject({ sourcesRead: 1, sourcesUnreadable: 1 })
    expect(counts.added).toBeGreaterThan(1)
  })

  test('a file of Markdown with a table has a record in each row, and another one is a skill', async () => {
    const table = '| full_name | stars |\n|---|---|\n| acme/a | 7 |\n| acme/b | |\n'
    const skill = '---\nfull_name: acme/c\ndescription: "| a |"\n---\n\n| a |\n|---|\n'

    const { counts } = await bench.importFiles({ 'table.md': table, 'skill.md': skill })

    expect(counts).toMatchObject({ added: 3, rejected: 0, sourcesUnreadable: 0 })
    expect(await bench.catalog.findStored('skills', ['acme/a'])).toMatchObject([{ stored: { stars: 7 } }])
  })

  test('of an answer that is not read, the place of the list that has the records is named', async () => {
    const skills = [{ full_name: 'acme/a' }]
    const said = async (document: object) => {
      await bench.importFiles({ 'a.json': JSON.stringify(document) })
      return bench.messages.splice(0)
    }

    for (const [place, document] of [
      ['.catalog.skills', { catalog: { skills } }],
      ['.props."page props".tools', { props: { 'page props': { tools: skills } }, page: '/' }],
      ['.message.items', { status: 'ok', message: { items: [{ node: skills[0] }], total: 1 } }],
    ]) {
      expect(await said(Object(document))).toEqual([
        expect.stringContaining(
          `is no record: it has a list of records at ${place}. Records are read from a list "items"`,
        ),
      ])
    }
    await bench.importFiles({ 'SKILL.md': '---\nname: x\nmore: &all\n  one: *all\n  two: *all\n---\n' })
    expect(bench.messages.splice(0)).toEqual([expect.stringContaining('or contains itself')])
    // Which have no list of records in them.
    expect(await said({ about: 'x', people: { authors: [{ name: 'kim' }] } })).toEqual([
      expect.stringContaining('it does not say whose it is'),
    ])
    expect(await said({ message: { text: 'Not found', code: 404 } })).toEqual([
      expect.stringContaining('it is the error that a service answered'),
    ])
    expect(await bench.ids()).toEqual([])
  })

  test('a record with the state removed becomes a tombstone, once', async () => {
    await bench.catalog.put('skills', [aSkill({ owner: 'acme', repo: 'a' })])
    const files = { 'a.ndjson': line('a', { state: 'removed' }) + line('unknown', { deleted: true }) }

    expect((await bench.importFiles(files)).counts).toMatchObject({ added: 0, removed: 1, unchanged: 1 })
    const first = await bench.catalog.findSkill('acme/a')
    expect((await bench.importFiles(files)).counts).toMatchObject({ removed: 0, unchanged: 2 })
    expect(first).toMatchObject({ state: 'removed' })
    expect(await bench.catalog.findSkill('acme/a')).toEqual(first)
  })
})
