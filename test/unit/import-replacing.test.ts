import { readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { beforeEach, describe, expect, test } from '@jest/globals'
import { aSkill } from '../support/factories.js'
import { parseFound } from '../support/found-skills.js'
import { openImportBench } from '../support/import-bench.js'
import { line } from '../support/import-input.js'

describe('an import that replaces', () => {
  let bench: Awaited<ReturnType<typeof openImportBench>>
  beforeEach(async () => {
    bench = await openImportBench()
  })

  test('in a dry run reports the changes, and the removals, without writing them', async () => {
    await bench.importFiles({ 'a.ndjson': line('a') + line('b') + line('c') + line('e') })

    const { counts } = await bench.importFiles(
      { 'a.ndjson': line('a') + line('b', { stars: 2 }) + line('c', { state: 'removed' }) + line('d') + line('d') },
      { dryRun: true, replace: true },
    )

    expect(counts).toMatchObject({ read: 5, added: 1, changed: 1, unchanged: 2, removed: 2 })
    expect(await bench.ids()).toEqual(['acme/a', 'acme/b', 'acme/c', 'acme/e'])
    expect(parseFound(await bench.catalog.findSkill('acme/b'))).toMatchObject({ skill: { stars: null } })
  })

  describe('replacing', () => {
    beforeEach(() =>
      bench.catalog.put('skills', [aSkill({ owner: 'acme', repo: 'old' }), aSkill({ owner: 'acme', repo: 'bad' })]),
    )

    test('keeps records whose new version was rejected', async () => {
      await bench.importFiles({ 'a.ndjson': line('a') + line('bad', { stars: -1 }) }, { replace: true })

      expect(await bench.ids()).toEqual(['acme/a', 'acme/bad'])
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
      const { counts, notReplaced } = await bench.importFiles(files as Record<string, string>, { replace: true })

      expect([counts.removed, notReplaced]).toEqual([0, reason])
      expect(await bench.ids()).toEqual(expect.arrayContaining(['acme/bad', 'acme/old']))
    })

    test('accepts text with separators and line breaks', async () => {
      const csv = 'owner,repo,description\nacme,a,"Reads CSV:\nacme,table,x\nand so on"\nacme,bad,x\n'

      const { counts, notReplaced } = await bench.importFiles({ 'a.csv': csv }, { replace: true })

      expect([counts.removed, notReplaced]).toEqual([1, null])
    })

    test('reads standard input twice, and deletes its copy', async () => {
      const { counts } = await bench.importFiles({ '-': line('a') + line('bad') }, { replace: true })

      expect(counts).toMatchObject({ read: 2, added: 1, removed: 1 })
      const copies = (await readdir(tmpdir())).filter((name) => name.startsWith(`skill-catalog-import-${process.pid}-`))
      expect(copies).toEqual([])
    })

    describe('many removals', () => {
      const many = (from: number, to: number) =>
        Array.from({ length: to - from }, (_, index) => line(`s${from + index}`)).join('')
      beforeEach(async () => {
        await bench.importFiles({ 'a.ndjson': many(0, 198) })
      })

      test.each([
        ['up to the default share', undefined, 20, 20],
        ['up to the given number', 22, 22, 22],
      ])('removes %s', async (_what, maxRemovals, gone, removed) => {
        const { counts } = await bench.importFiles(
          { 'a.ndjson': many(gone, 198) + line('old') + line('bad') },
          { replace: true, ...(maxRemovals === undefined ? {} : { maxRemovals }) },
        )

        expect(counts.removed).toBe(removed)
      })

      test('can be forbidden', async () => {
        await expect(
          bench.importFiles({ 'a.ndjson': many(0, 198) + line('old') }, { replace: true, maxRemovals: 0 }),
        ).rejects.toMatchObject({ code: 'too_many_removals' })
      })
    })
  })
})
