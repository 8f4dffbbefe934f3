import { writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { beforeEach, describe, expect, test } from '@jest/globals'
import { findSources } from '../../services/indexer/import/find-sources.js'
import { importRecords } from '../../services/indexer/import/import-records.js'
import { PreviewSink } from '../../services/indexer/import/preview-sink.js'
import type { Catalog } from '../../shared/ports/catalog.js'
import type { RecordType } from '../../shared/records/records.js'
import { promptId } from '../../shared/text/prompt-id.js'
import { aPrompt, aSkill } from '../support/factories.js'
import { openJobBench } from '../support/job-bench.js'
import { parseFound } from '../support/parse-found.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { withOverrides } from '../support/with-overrides.js'

describe('importing skills', () => {
  let catalog: Catalog
  let messages: string[]
  beforeEach(async () => {
    catalog = (await openJobBench()).catalog
    messages = []
  })

  /** Imports files of these contents; `-` is the standard input. */
  async function importFiles(
    files: Record<string, string | Buffer>,
    options: {
      type?: RecordType
      replace?: boolean
      maxRemovals?: number
      dryRun?: boolean
      recordsPerPut?: number
      signal?: AbortSignal
    } = {},
  ) {
    const folder = temporaryFolder()
    const paths = Object.entries(files).map(([name, content]) => {
      if (name !== '-') {
        writeFileSync(join(folder, name), content)
      }
      return name === '-' ? '-' : join(folder, name)
    })
    const result = await importRecords(await findSources(paths, null, new AbortController().signal), {
      type: options.type ?? 'skills',
      sink: withOverrides(
        options.dryRun ? new PreviewSink(catalog) : catalog,
        options.recordsPerPut === undefined ? {} : { recordsPerPut: options.recordsPerPut },
      ),
      catalog,
      ...(options.replace ? { replace: { maxRemovals: options.maxRemovals ?? null } } : {}),
      stdin: Readable.from([Buffer.from(files['-'] ?? '')]),
      watcher: {
        read: () => undefined,
        dealtWith: () => undefined,
        dropped: () => undefined,
        rejected: ({ label, place, reason }) =>
          messages.push(`${label.replace(`${folder}/`, '')}, ${place}: ${reason}`),
        unreadable: ({ label, reason }) => messages.push(`${label.replace(`${folder}/`, '')} ${reason}`),
      },
      signal: options.signal ?? new AbortController().signal,
    })
    return { ...result, notReplaced: result.notReplaced?.replace(`${folder}/`, '') ?? null }
  }

  const line = (repo: string, more: object = {}) => `${JSON.stringify({ owner: 'acme', repo, ...more })}\n`
  const ids = () => catalog.listIds('skills', null, 100)

  describe('a record with only an identity and a state changes the state alone', () => {
    const full = '{"owner":"Acme","repo":"tool","description":"All of it.","topics":["pdf"],"stars":5,"note":"kept"}\n'
    const stored = async (type: RecordType, id: string) =>
      Object(await catalog.findStored(type, [id]).then(([found]) => found?.stored))

    test.each([
      ['{"owner":"acme","repo":"tool","state":"hidden"}', 'hidden'],
      ['{"full_name":"acme/tool","private":true,"pushed_at":"2026-01-01T00:00:00Z"}', 'hidden'],
      ['{"url":"https://github.com/acme/tool","isHidden":"yes","description":"","topics":null}', 'hidden'],
      ['{"id":"acme/tool","state":"removed","reason":"spam"}', 'removed'],
      ['{"owner":"acme","repo":"tool","deleted":true,"deletedAt":"2026-01-05T10:00:00Z"}', 'removed'],
    ])('%s', async (line, state) => {
      await importFiles({ 'skills.ndjson': full })

      const first = await importFiles({ 'states.ndjson': line })
      const again = await importFiles({ 'states.ndjson': line })
      const marked = await stored('skills', 'acme/tool')
      await importFiles({ 'states.ndjson': '{"owner":"acme","repo":"tool","state":"published"}' })

      const count = { added: 0, changed: state === 'removed' ? 0 : 1, removed: state === 'removed' ? 1 : 0 }
      expect(first.counts).toMatchObject({ read: 1, unchanged: 0, rejected: 0, ...count })
      expect(again.counts).toMatchObject({ changed: 0, removed: 0, unchanged: 1 })
      const content = { owner: 'Acme', description: 'All of it.', topics: ['pdf'], stars: 5, note: 'kept' }
      expect(marked).toMatchObject({ ...content, state })
      expect(await stored('skills', 'acme/tool')).toMatchObject({ ...content, state: 'published', removedAt: null })
    })

    test('of prompts and organizations, and from rows of CSV with empty cells', async () => {
      await importFiles({ 'p.ndjson': '{"id":"poem","title":"Poem","prompt":"Write one."}' }, { type: 'prompts' })
      await importFiles({ 'o.ndjson': '{"login":"acme","name":"Acme","bio":"Tools."}' }, { type: 'organizations' })

      await importFiles({ 'p.csv': 'id,title,prompt,state\npoem,,,hidden\n' }, { type: 'prompts' })
      await importFiles({ 'o.csv': 'login,name,state\nacme,,hidden\n' }, { type: 'organizations' })

      expect(await stored('prompts', 'poem')).toMatchObject({ title: 'Poem', content: 'Write one.', state: 'hidden' })
      expect(await stored('organizations', 'acme')).toMatchObject({ description: 'Tools.', state: 'hidden' })
    })

    test('in one file with the whole record, in either order', async () => {
      const hide = '{"owner":"acme","repo":"tool","state":"hidden"}\n'
      for (const file of [full + hide, hide + full, hide + full + hide]) {
        for (const recordsPerPut of [1, 100]) {
          catalog = (await openJobBench()).catalog
          await importFiles({ 'skills.ndjson': file }, { recordsPerPut })

          expect(await stored('skills', 'acme/tool')).toMatchObject({ description: 'All of it.', state: 'hidden' })
        }
      }
    })

    test('an unknown skill is hidden before it comes, and an unknown prompt is rejected', async () => {
      await importFiles({ 'skills.ndjson': '{"owner":"acme","repo":"tool","state":"hidden"}' })
      await importFiles({ 'skills.ndjson': full })
      const { counts } = await importFiles({ 'p.ndjson': '{"id":"poem","state":"hidden"}' }, { type: 'prompts' })

      expect(await stored('skills', 'acme/tool')).toMatchObject({ stars: 5, state: 'hidden' })
      expect(counts).toMatchObject({ read: 1, added: 0, rejected: 1 })
      expect(messages).toEqual([
        'p.ndjson, line 1: title: is missing; content: is missing; there is no record of this id whose state could change',
      ])
    })

    test('a dry run says the same and changes nothing', async () => {
      await importFiles({ 'skills.ndjson': full })
      const hide = { 'states.ndjson': '{"owner":"acme","repo":"tool","state":"hidden"}' }

      expect((await importFiles(hide, { dryRun: true })).counts).toMatchObject({ added: 0, changed: 1 })
      expect(await stored('skills', 'acme/tool')).toMatchObject({ state: 'published' })
    })

    test('with any other field it is a whole record', async () => {
      await importFiles({ 'skills.ndjson': full })
      await importFiles({ 'skills.ndjson': '{"owner":"acme","repo":"tool","state":"hidden","stars":7}' })

      expect(await stored('skills', 'acme/tool')).toMatchObject({ stars: 7, description: null, state: 'hidden' })
    })
  })

  test('records of every form are added', async () => {
    const { counts } = await importFiles({
      'a.ndjson': line('a'),
      'b.json': `[${line('b')}]`,
      'c.csv': 'owner,repo\nacme,c\n',
      'd.jsonl.gz': gzipSync(line('d')),
      'e.csv.gz': gzipSync('owner,repo\nacme,e\n'),
      f: line('f'),
      '-': '\ufeffowner;repo\nacme;g\n',
    })

    expect(messages).toEqual([])
    expect(counts).toMatchObject({ read: 7, added: 7, rejected: 0, sourcesRead: 7, sourcesUnreadable: 0 })
    expect(await ids()).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((repo) => `acme/${repo}`))
  })

  test('a file that cannot be read is closed', async () => {
    const openFiles = async () => (await readdir('/proc/self/fd')).length
    const before = await openFiles()
    const { counts } = await importFiles({ 'a.csv': Buffer.from(`\ufeff${'owner,repo\n'.repeat(10_000)}`, 'utf16le') })

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
        catalog = (await openJobBench()).catalog
        const id = type === 'skills' ? 'acme/a' : 'a'
        const file = { 'a.ndjson': text }
        await catalog.put('skills', [aSkill({ owner: 'acme', repo: 'a' })])
        await importFiles(file, { type, recordsPerPut })
        const first = await catalog.findStored(type, [id])
        const { counts } = await importFiles(file, { type, recordsPerPut })
        const { counts: replacing, notReplaced } = await importFiles(file, { type, recordsPerPut, replace: true })
        const { counts: preview } = await importFiles(file, { type, recordsPerPut, dryRun: true })

        expect(first).toMatchObject([{ id, stored: last }])
        expect(await catalog.findStored(type, [id])).toEqual(first)
        const nothing = { added: 0, changed: 0, removed: 0, unchanged: counts.read }
        expect([counts, replacing, preview]).toEqual([nothing, nothing, nothing].map(expect.objectContaining))
        expect(notReplaced).toBe(null)
      }
    },
  )

  describe('prompts without ids', () => {
    const prompt = (content: string, contributor?: string) =>
      `${JSON.stringify({ act: 'Code Reviewer', prompt: content, contributor })}\n`
    const file = {
      'a.ndjson': [
        prompt('one', 'jane'),
        prompt('two', 'hans'),
        prompt('three'),
        prompt('four'),
        prompt('five', 'jane'),
      ].join(''),
    }
    const contents = async (): Promise<Map<string, unknown>> => {
      const stored = await catalog.findStored('prompts', await catalog.listIds('prompts', null, 100))
      return new Map(stored.map(({ id, stored: each }) => [id, (each as { content: unknown }).content]))
    }

    test('of one title are prompts of their own, and the same file again changes nothing', async () => {
      const { counts } = await importFiles(file, { type: 'prompts' })
      const first = await contents()
      const again = await importFiles(file, { type: 'prompts', recordsPerPut: 2, replace: true })

      expect([counts.added, again.counts.unchanged, again.notReplaced]).toEqual([5, 5, null])
      expect([...first.values()].sort()).toEqual(['five', 'four', 'one', 'three', 'two'])
      expect(await contents()).toEqual(first)
    })

    test.each([
      ['by its author', 'jane', 'one, corrected'],
      ['by its content', null, 'three'],
    ])(
      'a prompt that the catalog has under an id by its title alone is recognized %s, and keeps that id',
      async (_how, author, content) => {
        const old = promptId('Code Reviewer')
        await catalog.put('prompts', [
          aPrompt({
            id: old,
            title: 'Code Reviewer',
            author,
            content: content.replace(', corrected', ''),
            state: 'hidden',
          }),
          aPrompt({ id: 'own-0123456789ab' }),
        ])
        const corrected = { 'a.ndjson': file['a.ndjson'].replace('"one"', '"one, corrected"') }
        const { counts } = await importFiles(corrected, { type: 'prompts', replace: true })
        const { counts: again } = await importFiles(corrected, { type: 'prompts', replace: true })

        expect(counts).toMatchObject({ added: 4, removed: 1 })
        expect(again).toMatchObject({ unchanged: 5, removed: 0 })
        expect((await contents()).get(old)).toBe(content)
        expect(await catalog.findStored('prompts', [old])).toMatchObject([{ stored: { state: 'hidden' } }])
      },
    )

    test('a rejected one is not taken for removed', async () => {
      await importFiles(file, { type: 'prompts' })
      const rejected = {
        'a.ndjson': `${JSON.stringify({ act: 'Code Reviewer', contributor: 'hans' })}\n${prompt('one', 'jane')}`,
      }

      await importFiles(rejected, { type: 'prompts', replace: true })

      expect([...(await contents()).values()].sort()).toEqual(['one', 'two'])
    })
  })

  test('of two records of one id, a hidden one stays hidden where the later one has no state', async () => {
    const texts = [line('a', { hidden: true }), line('b'), line('c'), line('a', { stars: 2 })].join('')
    for (const recordsPerPut of [1, 100]) {
      await catalog.put('skills', [aSkill({ owner: 'acme', repo: 'a' })])
      await importFiles({ 'a.ndjson': texts }, { recordsPerPut })

      expect(await catalog.findStored('skills', ['acme/a'])).toMatchObject([{ stored: { state: 'hidden', stars: 2 } }])
    }
  })

  test('more changes than a batch has are written, in the order of the last ones', async () => {
    const many = (stars: number) => Array.from({ length: 25 }, (_, at) => line(`s${at}`, { stars })).join('')
    await importFiles({ 'a.ndjson': many(1) })

    const { counts } = await importFiles({ 'a.ndjson': many(2) + many(3) }, { recordsPerPut: 10 })

    expect(counts).toMatchObject({ read: 50, added: 0, changed: 25, unchanged: 25 })
    expect(await catalog.findStored('skills', ['acme/s24'])).toMatchObject([{ stored: { stars: 3 } }])
  })

  test('rejected records are reported with file, place and reason, and the others are stored', async () => {
    const { counts } = await importFiles({
      'a.ndjson': `${line('a')}{"owner":\n${line('b', { state: 'lost' })}${line('c')}`,
      'b.csv': 'owner,repo\nacme,d,x\nacme,e\n',
    })

    expect(messages).toEqual([
      expect.stringMatching(/^a\.ndjson, line 2: is not valid JSON/),
      'a.ndjson, line 3: state: must say whether it is published, for instance published, hidden or removed, not "lost"',
      'b.csv, line 2: has 3 cells, but the header has 2',
    ])
    expect(counts).toMatchObject({ read: 6, added: 3, rejected: 3 })
  })

  test('a file that cannot be read to its end is reported, and the records before stay', async () => {
    const whole = gzipSync(Array.from({ length: 2_000 }, (_, index) => line(`s${index}`)).join(''))

    const { counts } = await importFiles({
      'cut.ndjson.gz': whole.subarray(0, whole.length / 2),
      'a.ndjson': line('a'),
    })

    expect(messages).toContain('cut.ndjson.gz ends in the middle of its gzip data: the file is truncated.')
    expect(counts).toMatchObject({ sourcesRead: 1, sourcesUnreadable: 1 })
    expect(counts.added).toBeGreaterThan(1)
  })

  test('UTF-16 is reported', async () => {
    await importFiles({ 'a.csv': Buffer.from('\ufeffowner,repo\nacme,a\n', 'utf16le') })

    expect(messages).toEqual([expect.stringMatching(/^a\.csv is UTF-16\. Save it as UTF-8/)])
  })

  test('a record with the state removed becomes a tombstone, once', async () => {
    await catalog.put('skills', [aSkill({ owner: 'acme', repo: 'a' })])
    const files = { 'a.ndjson': line('a', { state: 'removed' }) + line('unknown', { deleted: true }) }

    expect((await importFiles(files)).counts).toMatchObject({ added: 0, removed: 1, unchanged: 1 })
    const first = await catalog.findSkill('acme/a')
    expect((await importFiles(files)).counts).toMatchObject({ removed: 0, unchanged: 2 })
    expect(first).toMatchObject({ state: 'removed' })
    expect(await catalog.findSkill('acme/a')).toEqual(first)
  })

  test('stops when aborted, and keeps written records', async () => {
    const controller = new AbortController()
    controller.abort(new Error('stopped'))

    await expect(importFiles({ 'a.ndjson': line('a') }, { signal: controller.signal })).rejects.toThrow('stopped')
    expect(await ids()).toEqual([])
  })

  describe('a dry run', () => {
    test('reports the changes without writing them', async () => {
      await importFiles({ 'a.ndjson': line('a') + line('b') + line('c') })

      const { counts } = await importFiles(
        { 'a.ndjson': line('a') + line('b', { stars: 2 }) + line('c', { state: 'removed' }) + line('d') + line('d') },
        { dryRun: true, replace: true },
      )

      expect(counts).toMatchObject({ read: 5, added: 1, changed: 1, unchanged: 2, removed: 1 })
      expect(await ids()).toEqual(['acme/a', 'acme/b', 'acme/c'])
      expect(parseFound(await catalog.findSkill('acme/b'))).toMatchObject({ skill: { stars: null } })
    })

    test('reports the removals of --replace', async () => {
      await importFiles({ 'a.ndjson': line('a') + line('b') })

      const { counts } = await importFiles({ 'a.ndjson': line('a') }, { dryRun: true, replace: true })

      expect(counts).toMatchObject({ unchanged: 1, removed: 1 })
      expect(await ids()).toEqual(['acme/a', 'acme/b'])
    })
  })

  describe('replacing', () => {
    beforeEach(() =>
      catalog.put('skills', [aSkill({ owner: 'acme', repo: 'old' }), aSkill({ owner: 'acme', repo: 'bad' })]),
    )

    test('turns records that are not in the sources into tombstones', async () => {
      const { counts, notReplaced } = await importFiles(
        { 'a.ndjson': line('a'), 'b.ndjson': line('bad') },
        { replace: true },
      )

      expect([counts.removed, notReplaced]).toEqual([1, null])
      expect(await ids()).toEqual(['acme/a', 'acme/bad'])
      expect(await catalog.findSkill('acme/old')).toMatchObject({ state: 'removed' })
    })

    test('keeps records whose new version was rejected', async () => {
      await importFiles({ 'a.ndjson': line('a') + line('bad', { stars: -1 }) }, { replace: true })

      expect(await ids()).toEqual(['acme/a', 'acme/bad'])
    })

    const unread = 'not every source was read to its end'
    const unknown = 'a rejected record does not say which of the skills it is'
    const header = 'owner,repo,description\n'
    test.each([
      ['a source is malformed', { 'a.ndjson': line('a'), 'b.csv': 'owner,repo\na,"b' }, unread],
      ['a source is truncated', { 'a.ndjson': `${line('a')}{"owner":"ac` }, unread],
      ['an array is malformed', { 'a.json': `[${line('a')},${line('bad')},{"owner":}]` }, unread],
      ['a line is malformed', { 'a.ndjson': `${line('a')}{"owner":"acme","re\n${line('bad')}` }, unknown],
      ['a rejected record has no id', { 'a.ndjson': `${line('a')}{"owner":"acme"}\n${line('bad')}` }, unknown],
      ['a record is too long', { 'a.ndjson': line('a') + line('b', { more: 'x'.repeat(2_000_000) }) }, unknown],
      ['a row has too few cells', { 'a.csv': `${header}acme,a,x\nacme,bad\nacme,b,x\n` }, unknown],
      [
        'a missing quote swallows a row, and is detected',
        { 'a.csv': `${header}acme,a,"one\nacme,bad,"two"\nacme,old,"three"\n` },
        unknown,
      ],
      [
        'a missing quote swallows the rest',
        { 'a.csv': `${header}acme,a,"one\nacme,bad,two\nacme,old,three\n` },
        unread,
      ],
      [
        'a missing quote swallows whole rows, and another quote balances it',
        { 'a.csv': `${header}acme,a,"one\nacme,bad,two\nacme,old,27"\nacme,b,x\n` },
        'a quoted cell of a.csv, line 2, seems to hold the row of acme/bad: a quote may be missing',
      ],
      [
        'a missing quote swallows half a row, and another quote balances it',
        { 'a.csv': 'owner,description,repo\nacme,"one,bad\nacme,27",old\nacme,x,b\n' },
        'a quoted cell of a.csv, line 2, seems to hold the row of acme/bad: a quote may be missing',
      ],
      ['no record was accepted', { 'a.ndjson': line('a', { state: 'lost' }) }, 'no record was accepted'],
      ['the sources are empty', { 'a.ndjson': '' }, 'no record was accepted'],
    ])('removes nothing when %s', async (_when, files, reason) => {
      const { counts, notReplaced } = await importFiles(files as Record<string, string>, { replace: true })

      expect([counts.removed, notReplaced]).toEqual([0, reason])
      expect(await ids()).toEqual(expect.arrayContaining(['acme/bad', 'acme/old']))
    })

    test('accepts text with separators and line breaks', async () => {
      const csv = 'owner,repo,description\nacme,a,"Reads CSV:\nacme,table,x\nand so on"\nacme,bad,x\n'

      const { counts, notReplaced } = await importFiles({ 'a.csv': csv }, { replace: true })

      expect([counts.removed, notReplaced]).toEqual([1, null])
    })

    test('reads standard input twice, and deletes its copy', async () => {
      const { counts } = await importFiles({ '-': line('a') + line('bad') }, { replace: true })

      expect(counts).toMatchObject({ read: 2, added: 1, removed: 1 })
      const copies = (await readdir(tmpdir())).filter((name) => name.startsWith(`skill-catalog-import-${process.pid}-`))
      expect(copies).toEqual([])
    })

    describe('many removals', () => {
      const many = (from: number, to: number) =>
        Array.from({ length: to - from }, (_, index) => line(`s${from + index}`)).join('')
      beforeEach(async () => {
        await importFiles({ 'a.ndjson': many(0, 198) })
      })

      test('are refused before anything is written, with their number', async () => {
        const replacing = importFiles({ 'a.ndjson': many(21, 198) + line('new') + line('old') }, { replace: true })

        await expect(replacing).rejects.toMatchObject({
          code: 'too_many_removals',
          message: expect.stringMatching(/would remove 22 of the 200 skills in the catalog, and may remove 20\./),
        })
        expect(await ids()).toHaveLength(100)
        expect(await catalog.findSkill('acme/new')).toEqual({ state: 'unknown' })
      })

      test.each([
        ['up to the default share', undefined, 20, 20],
        ['up to the given number', 22, 22, 22],
      ])('removes %s', async (_what, maxRemovals, gone, removed) => {
        const { counts } = await importFiles(
          { 'a.ndjson': many(gone, 198) + line('old') + line('bad') },
          { replace: true, ...(maxRemovals === undefined ? {} : { maxRemovals }) },
        )

        expect(counts.removed).toBe(removed)
      })

      test('can be forbidden', async () => {
        await expect(
          importFiles({ 'a.ndjson': many(0, 198) + line('old') }, { replace: true, maxRemovals: 0 }),
        ).rejects.toMatchObject({ code: 'too_many_removals' })
      })
    })
  })
})
