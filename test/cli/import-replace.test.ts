import { randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from '@jest/globals'
import { fileOf, line, skillIds } from '../support/import-input.js'
import { runCatalog, startCatalog, withStoresOf } from '../support/run-catalog.js'
import { testOnSmallDisk } from '../support/small-disk.js'
import { temporaryFolder } from '../support/temporary-folder.js'

describe('import --replace', () => {
  test('turns records that the source no longer contains into tombstones', async () => {
    const folder = temporaryFolder()
    await runCatalog(folder, ['import', fileOf('a.ndjson', line('a') + line('b')), '--type', 'skills'])

    const { status, json } = await runCatalog(folder, [
      'import',
      fileOf('a.ndjson', line('a')),
      '--type',
      'skills',
      '--replace',
      '--json',
    ])

    expect([status, json['removed'], json['sync']]).toEqual([0, 1, { published: 0, removed: 1, rejected: 0 }])
    expect(await withStoresOf(folder, ({ catalog }) => catalog.findSkill('acme/b'))).toMatchObject({ state: 'removed' })
  })

  test('leaves a skill hidden that a moderator has hidden, unless its source publishes it', async () => {
    const folder = temporaryFolder()
    const states = () => withStoresOf(folder, async ({ catalog }) => (await catalog.findSkill('acme/tool')).state)
    const importLines = async (lines: string, ...options: string[]) => {
      const args = ['import', fileOf('skills.ndjson', lines), '--type', 'skills', '--no-update', '--json', ...options]
      return (await runCatalog(folder, args)).json['removed']
    }
    const importTool = (more: object) => importLines(line('tool', more))

    await importTool({ state: 'hidden' })
    await importTool({ description: 'crawled again', private: false })
    expect(await states()).toBe('unknown')
    // Nor does it become a tombstone, of which everyone could see that there was a skill.
    expect(await importLines(line('other'), '--replace', '--allow-removing', '0')).toBe(0)
    expect(await states()).toBe('unknown')
    await importTool({ description: 'crawled again' })
    expect(await states()).toBe('unknown')

    await importTool({ state: 'published' })
    expect(await states()).toBe('published')
  })

  test('keeps the skill of a SKILL.md that cannot be read', async () => {
    const [folder, tree] = [temporaryFolder(), temporaryFolder()]
    const skill = (name: string, content: string) => {
      mkdirSync(join(tree, 'acme', name), { recursive: true })
      writeFileSync(join(tree, 'acme', name, 'SKILL.md'), content)
    }
    skill('a', '---\nname: A\n---\n')
    skill('b', '---\nname: B\n---\n')
    skill('c', '---\nname: C\n---\n')
    const args = ['import', tree, '--type', 'skills', '--no-update', '--json']
    await runCatalog(folder, args)
    skill('b', '---\ntags: &b [*b]\n---\n')
    rmSync(join(tree, 'acme', 'c'), { recursive: true })

    const { status, json, stderr } = await runCatalog(folder, [...args, '--replace'])

    expect([status, json['removed'], json['rejected'], json['notReplaced']]).toEqual([1, 1, 1, null])
    expect(stderr).toContain('is nested deeper than 64 levels, or contains itself')
    expect(await skillIds(folder)).toEqual(['acme/a', 'acme/b'])
  })

  test('stops before it writes when it would remove too many records, unless that is allowed', async () => {
    const folder = temporaryFolder()
    const all = Array.from({ length: 30 }, (_, index) => line(`s${index}`))
    await runCatalog(folder, ['import', fileOf('a.ndjson', all.join('')), '--type', 'skills', '--no-update'])
    const replace = ['import', '-', '--type', 'skills', '--replace', '--no-update', '--json']
    const half = all.slice(0, 15).join('') + line('new')

    const stopped = await runCatalog(folder, replace, half)
    const preview = await runCatalog(folder, [...replace, '--dry-run'], half)
    const untouched = await skillIds(folder)
    const allowed = await runCatalog(folder, [...replace, '--allow-removing', '15'], half)

    expect([stopped.status, stopped.json['error']]).toEqual([
      2,
      {
        code: 'too_many_removals',
        message:
          '--replace would remove 15 of the 30 skills in the catalog, and may remove 10. Nothing was written. If the ' +
          'sources are complete, allow it with --allow-removing 15.',
      },
    ])
    expect([preview.status, preview.json]).toEqual([2, stopped.json])
    expect([untouched.length, untouched.includes('acme/new')]).toEqual([30, false])
    expect([allowed.status, allowed.json['removed']]).toEqual([0, 15])
    expect(await skillIds(folder)).toHaveLength(16)
  })

  testOnSmallDisk('reports a full disk when it copies standard input', async (disk) => {
    const folder = temporaryFolder()
    const input = line('a') + ' '.repeat(3_000_000)
    const command = startCatalog(folder, ['import', '-', '--type', 'skills', '--replace', '--json'], {
      wrap: (words) => ['env', `TMPDIR=${disk.folder}`, ...words],
    })
    command.stdin.end(input)

    const { status, json } = await command.ended

    expect([status, json['error']]).toEqual([
      2,
      {
        code: 'cannot_keep_input',
        message: expect.stringMatching(/cannot be kept in .*: ENOSPC.* Free some space there, set TMPDIR/),
      },
    ])
    expect(readdirSync(disk.folder)).toEqual([])
    expect(await skillIds(folder)).toEqual([])
  })
})

describe('the exit status', () => {
  const good = line('a')
  test.each([
    ['all records are imported', 'a.ndjson', good, 0, 0],
    ['the file is empty', 'a.ndjson', '', 0, 1],
    ['a record with an id is rejected', 'a.ndjson', good + line('b', { state: 'lost' }), 1, 1],
    ['a record without an id is rejected', 'a.ndjson', `${good}{}\n`, 1, 1],
    ['a gzip file is truncated', 'a.ndjson.gz', gzipSync(lines(2_000)).subarray(0, 8_000), 1, 1],
    ['a gzip file is truncated before its first record', 'a.ndjson.gz', gzipSync(lines(2_000)).subarray(0, 15), 2, 2],
    ['a file is no CSV', 'a.csv', 'x,y\n1,2\n', 2, 2],
  ])('when %s', async (_when, name, content, status, replacing) => {
    const args = ['import', fileOf(name, content), '--type', 'skills', '--no-update']

    const plain = await runCatalog(temporaryFolder(), args)
    const replace = await runCatalog(temporaryFolder(), [...args, '--replace'])

    expect([plain.status, replace.status]).toEqual([status, replacing])
  })
})

function lines(count: number): string {
  return Array.from({ length: count }, () => line(randomUUID())).join('')
}
