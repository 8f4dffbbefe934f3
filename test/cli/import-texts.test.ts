import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from '@jest/globals'
import type { Skill } from '../../shared/records/skill.js'
import { digestOf } from '../../shared/text/skill-text.js'
import { aQuery } from '../support/factories.js'
import { gitRepository, testWithGit } from '../support/git-repository.js'
import { fileOf } from '../support/import-input.js'
import { runCatalog, runInProcess, withStoresOf } from '../support/run-catalog.js'
import { temporaryFolder } from '../support/temporary-folder.js'

const planted = 'quagmirezebra'
const address = 'someone@private.example'
const skillMd = `---\nname: pdf\ndescription: Reads.\nfiles: [x]\n---\n# Pdf\r\n\nAsk ${address}, or ${planted}\u{e0041}.\n`
const cleaned = skillMd.replace(address, '(address removed)').replace('\u{e0041}', '')

const importInto = (folder: string, args: string[], env: Record<string, string> = {}) =>
  runInProcess({ DATA_DIR: folder, ...env }, ['import', ...args, '--type', 'skills', '--json'], '')

const skillOf = (folder: string, id: string): Promise<Skill> =>
  withStoresOf(folder, async ({ catalog }) => {
    const found = await catalog.findSkill(id)
    return found.state === 'published' ? JSON.parse(found.record) : null
  })

/** What is kept of a skill. */
const keptOf = (folder: string, id: string) =>
  withStoresOf(folder, async ({ catalog }) => {
    const skill = await skillOf(folder, id)
    return { digest: skill.digest, text: await catalog.readText(skill), files: await catalog.readFiles(skill) }
  })

describe('the text of a SKILL.md', () => {
  testWithGit('comes from a checkout and from its address, with the files of its folder', async () => {
    const repository = join(temporaryFolder(), 'kit')
    gitRepository(repository, 'https://github.com/acme/kit.git', {
      'skills/pdf/SKILL.md': skillMd,
      'skills/pdf/scripts/read me.py': 'print(1)\n',
      'skills/pdf/#notes [1].md': '',
      'skills/pdf/references/SKILL.md': 'A part.',
      'skills/pdf/inner/SKILL.md': skillMd.replace('name: pdf', 'name: inner'),
      'skills/pdf/inner/own.txt': 'x',
      'skills/pdf/node_modules/a/index.js': 'x',
      'other/file.txt': 'x',
    })
    for (const source of [repository, pathToFileURL(repository).href]) {
      const folder = temporaryFolder()
      expect((await importInto(folder, [source])).json).toMatchObject({ added: 2, rejected: 0 })

      expect(await keptOf(folder, 'acme/kit@pdf')).toEqual({
        digest: digestOf(skillMd),
        text: { text: cleaned, digest: digestOf(cleaned) },
        files: {
          files: [
            { path: 'SKILL.md', size: Buffer.byteLength(skillMd), digest: digestOf(skillMd) },
            { path: '#notes [1].md', size: 0, digest: digestOf('') },
            { path: 'references/SKILL.md', size: 7, digest: digestOf('A part.') },
            { path: 'scripts/read me.py', size: 9, digest: digestOf('print(1)\n') },
          ],
          total: 4,
        },
      })
      const again = await importInto(folder, [source])
      expect(again.json).toMatchObject({ added: 0, changed: 0, unchanged: 2 })
    }
  })

  testWithGit('is found by a search, and is in no record, list, change, export or dataset', async () => {
    const repository = join(temporaryFolder(), 'kit')
    gitRepository(repository, 'https://github.com/acme/kit.git', { 'skills/pdf/SKILL.md': skillMd })
    const folder = temporaryFolder()
    const imported = await importInto(folder, [repository])
    await runCatalog(folder, ['dataset'])

    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    const holding = files.filter(({ parentPath, name }) => {
      const bytes = readFileSync(join(parentPath, name))
      return [bytes, name.endsWith('.gz') ? gunzipSync(bytes) : bytes].some((each) => each.includes(planted))
    })
    expect(files.length).toBeGreaterThan(10)
    // In the index alone: where it is kept, it is packed.
    expect(holding.filter(({ name }) => !/^search-\d+\.db/.test(name))).toEqual([])
    expect(JSON.stringify(imported)).not.toMatch(planted)
    const read = await withStoresOf(folder, async ({ catalog, changes, replicas: [index] }) => [
      await catalog.listSkills({ filters: {}, sort: 'name', order: 'asc', limit: 10 }),
      await catalog.exportRows('skills', 10),
      await catalog.findStored('skills', ['acme/kit@pdf']),
      await changes.after(0, 10),
      await index.list(null, 10, 'live'),
      await index.suggest(planted, 10),
      (await index.search(aQuery(planted))).hits.map(({ record, textWords }) => [record, textWords.length]),
    ])
    expect(JSON.stringify(read)).toContain('acme/kit@pdf')
    expect(JSON.stringify(read)).not.toMatch(planted)
    expect(read.at(-1)).toEqual([[expect.stringContaining('acme/kit@pdf'), 1]])
  })

  test.each([
    ['original', { text: skillMd, digest: digestOf(skillMd) }],
    ['off', null],
  ])('is kept as SKILL_TEXT says: %s', async (SKILL_TEXT, text) => {
    const folder = temporaryFolder()
    const records = fileOf('a.ndjson', JSON.stringify({ owner: 'a', repo: 'b', skill_md: skillMd, files: ['x.py'] }))

    const { json } = await importInto(folder, [records], { SKILL_TEXT })

    expect(json).toMatchObject({ added: 1, droppedValues: 0 })
    expect(await keptOf(folder, 'a/b')).toMatchObject({ digest: digestOf(skillMd), text })
  })

  test.each([
    ['---\nname: x\ndescription: Reads.\n---\nText.', {}, 'Reads.'],
    ['# Pdf\n\nReads **tables**.', {}, 'Reads tables.'],
    ['---\ndescription: Reads.\n---\n', { description: 'Writes.' }, 'Writes.'],
    ['---\ndescription: "[TODO: say it]"\n---\n', {}, null],
  ])('describes a skill whose record does not: %j', async (skill_md, members, description) => {
    const folder = temporaryFolder()

    await importInto(folder, [fileOf('a.ndjson', JSON.stringify({ owner: 'a', repo: 'b', skill_md, ...members }))])

    expect(await skillOf(folder, 'a/b')).toMatchObject({ name: 'b', description })
  })

  test('is that of its file, also where its front matter has a text and files', async () => {
    const [tree, folder] = [join(temporaryFolder(), 'tree'), temporaryFolder()]
    const text = '---\nname: pdf\nskill_md: Other.\nfiles: [x.py]\n---\nReads.\n'
    mkdirSync(join(tree, 'acme/kit/pdf'), { recursive: true })
    writeFileSync(join(tree, 'acme/kit/pdf/SKILL.md'), text)

    expect((await importInto(folder, [tree])).json).toMatchObject({ added: 1, droppedValues: 2 })

    const digest = digestOf(text)
    const files = { files: [{ path: 'SKILL.md', size: text.length, digest }], total: 1 }
    expect(await keptOf(folder, 'acme/kit@pdf')).toEqual({ digest, text: { text, digest }, files })
  })

  test('comes from a field of a record, by its usual name or the given one, and goes with a record without it', async () => {
    const folder = temporaryFolder()
    const record = { owner: 'a', repo: 'b', name: 'B' }
    const files = [{ path: 'x.py', size: 3, sha256: '0'.repeat(64) }, 'y.md', '/etc/passwd', '../z', 7]
    const source = (members: object) => fileOf('a.ndjson', JSON.stringify({ ...record, ...members }))

    await importInto(folder, [source({ body: 'Do it.', files }), '--text-field', 'Body'])
    expect(await keptOf(folder, 'a/b')).toEqual({
      digest: digestOf('Do it.'),
      text: { text: 'Do it.', digest: digestOf('Do it.') },
      files: {
        files: [
          { path: 'SKILL.md', size: 6, digest: digestOf('Do it.') },
          { path: 'x.py', size: 3, digest: `sha256:${'0'.repeat(64)}` },
          { path: 'y.md', size: null, digest: null },
        ],
        // With those whose paths are not shown.
        total: 6,
      },
    })

    expect((await importInto(folder, [source({ body: 'Do that.' })])).json).toMatchObject({
      changed: 1,
      droppedTexts: 1,
    })
    expect(await keptOf(folder, 'a/b')).toEqual({ digest: null, text: null, files: null })
  })

  test('that is missing next to its record, as after a crash, is kept by the same import again', async () => {
    const folder = temporaryFolder()
    const source = fileOf('a.ndjson', JSON.stringify({ owner: 'a', repo: 'b', skillMd: 'Do it.' }))
    await importInto(folder, [source], { SKILL_TEXT: 'off' })
    expect(await keptOf(folder, 'a/b')).toEqual({ digest: digestOf('Do it.'), text: null, files: null })

    expect((await importInto(folder, [source])).json).toMatchObject({ changed: 0, unchanged: 1 })

    expect(await keptOf(folder, 'a/b')).toMatchObject({ text: { text: 'Do it.' }, files: { total: 1 } })
  })

  test('that is too long, or not UTF-8, is left out, and said', async () => {
    const folder = temporaryFolder()
    const long = '😀'.repeat(65_537)
    const lines = [
      { owner: 'a', repo: 'long', skillMd: long },
      { owner: 'a', repo: 'files', files: ['a.py'] },
    ]
    const bytes = Buffer.from(`---\nname: caf\xe9\ndescription: D.\nowner: a\nrepo: latin\n---\n`, 'latin1')
    const sources = [
      fileOf('a.ndjson', lines.map((line) => JSON.stringify(line)).join('\n')),
      fileOf('SKILL.md', bytes),
    ]

    const { json, stderr } = await importInto(folder, [...sources, '--verbose'])

    expect(json).toMatchObject({ added: 3, rejected: 0 })
    expect(stderr).toContain('skillMd: its text has more than 262144 bytes, and is not kept')
    expect(stderr).toContain('files: are kept together with the text of the skill, which the record has not got')
    expect(stderr).toContain('its text is not UTF-8, and is not kept')
    expect(await keptOf(folder, 'a/long')).toMatchObject({ text: null, files: null })
  })
})
