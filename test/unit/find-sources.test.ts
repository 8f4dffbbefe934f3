import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from '@jest/globals'
import { findSources } from '../../services/indexer/import/find-sources.js'
import { temporaryFolder } from '../support/temporary-folder.js'

/** A folder with empty files at these paths. */
function folderOf(...paths: string[]): string {
  const folder = temporaryFolder()
  for (const path of paths) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), '')
  }
  return folder
}

const namesIn = async (folder: string, format: Parameters<typeof findSources>[1] = null) =>
  (await findSources([folder], format)).sources.map(({ path }) => relative(folder, path ?? ''))

test('of a folder every file counts whose name tells a format', async () => {
  const folder = folderOf('b.csv.gz', 'a.ndjson', 'README.md', 'sub/c.json', '.git/d.json', 'node_modules/e.json')

  expect(await namesIn(folder)).toEqual(['a.ndjson', 'b.csv.gz', 'sub/c.json'])
})

test('of a tree with a SKILL.md, only these count', async () => {
  const folder = folderOf('acme/pdf/SKILL.md', 'acme/pdf/package.json', 'acme/csv/skill.md', 'data.csv')

  expect(await namesIn(folder)).toEqual(['acme/csv/skill.md', 'acme/pdf/SKILL.md'])
})

test('a format that is asked for decides', async () => {
  expect(await namesIn(folderOf('acme/pdf/SKILL.md', 'a.csv', 'b.json'), 'csv')).toEqual(['a.csv'])
})

test('symbolic links are followed, but not around in circles', async () => {
  const folder = folderOf('acme/pdf/SKILL.md')
  symlinkSync(folder, join(folder, 'acme', 'loop'))
  const outside = folderOf('other/csv/SKILL.md')
  symlinkSync(join(outside, 'other'), join(folder, 'other'))

  expect(await namesIn(folder)).toEqual(['acme/pdf/SKILL.md', 'other/csv/SKILL.md'])
})

test('a file counts whatever its name, and - is standard input', async () => {
  const folder = folderOf('records')

  const { sources } = await findSources([join(folder, 'records'), '-'], null)

  expect(sources.map(({ path, format }) => [path, format])).toEqual([
    [join(folder, 'records'), null],
    [null, null],
  ])
})

test('what cannot be looked into is told, and the rest is found', async () => {
  const folder = folderOf('a.csv', 'closed/b.csv')
  chmodSync(join(folder, 'closed'), 0o000)
  const missing = join(folder, 'missing.csv')

  const { sources, unreadable } = await findSources([missing, folder], null)
  chmodSync(join(folder, 'closed'), 0o700)

  expect(sources.map(({ path }) => path)).toContain(join(folder, 'a.csv'))
  // The superuser may look into any folder.
  const closed = process.getuid?.() === 0 ? [] : [join(folder, 'closed')]
  expect(unreadable.map(({ label }) => label)).toEqual([missing, ...closed])
  expect(unreadable[0]?.reason).toBe('does not exist. Check the path.')
})
