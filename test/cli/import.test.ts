import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { runCatalog, startCatalog, withStoresOf } from '../support/run-catalog.js'
import { temporaryFolder } from '../support/temporary-folder.js'

const line = (repo: string, more: object = {}) => `${JSON.stringify({ owner: 'acme', repo, ...more })}\n`

/** A file of this content in a folder of its own. */
function fileOf(name: string, content: string | Buffer): string {
  const path = join(temporaryFolder(), name)
  writeFileSync(path, content)
  return path
}

const skillIds = (folder: string) => withStoresOf(folder, ({ catalog }) => catalog.listIds('skills', null, 10_000))

describe('import', () => {
  test('takes records in, makes them searchable, and says what it did', async () => {
    const folder = temporaryFolder()
    const file = fileOf('skills.ndjson', line('pdf', { description: 'Reads documents' }) + line('csv'))

    const { status, stdout, stderr } = await runCatalog(folder, ['import', file, '--type', 'skills'])

    expect([status, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(
      /^2 skills read: 2 added, 0 changed, 0 unchanged, 0 removed, 0 rejected \(.*\)\nSearch index: 2 published/,
    )
    const page = await withStoresOf(folder, ({ index }) =>
      index.search({
        text: 'documents',
        filters: {},
        sort: 'relevance',
        order: 'desc',
        limit: 5,
        offset: 0,
        facets: [],
        highlight: false,
      }),
    )
    expect(page.hits.map(({ skill }) => skill.id)).toEqual(['acme/pdf'])
  })

  test('tells machines the same in one line, and the second time that nothing changed', async () => {
    const folder = temporaryFolder()
    const args = ['import', fileOf('skills.ndjson', line('pdf') + line('csv')), '--type', 'skills', '--json']

    const first = await runCatalog(folder, args)
    const second = await runCatalog(folder, args)

    expect(first.stdout.trimEnd().split('\n')).toHaveLength(1)
    expect(first.json).toEqual({
      command: 'import',
      status: 0,
      type: 'skills',
      dryRun: false,
      read: 2,
      added: 2,
      changed: 0,
      unchanged: 0,
      removed: 0,
      rejected: 0,
      sourcesRead: 1,
      sourcesUnreadable: 0,
      notReplaced: null,
      importMs: expect.any(Number),
      recordsPerSecond: expect.any(Number),
      sync: { published: 2, removed: 0, rejected: 0 },
      exports: expect.objectContaining({ files: 9, rows: 3 }),
      stats: expect.objectContaining({ skills: 2, organizations: 1 }),
      durationMs: expect.any(Number),
    })
    expect(second.json).toMatchObject({ status: 0, added: 0, changed: 0, unchanged: 2 })
  })

  test('reads standard input', async () => {
    const folder = temporaryFolder()

    const { status } = await runCatalog(folder, ['import', '-', '--type', 'skills'], `\ufeff${line('pdf')}`)

    expect(status).toBe(0)
    expect(await skillIds(folder)).toEqual(['acme/pdf'])
  })

  test('reads a tree of SKILL.md files', async () => {
    const [folder, tree] = [temporaryFolder(), temporaryFolder()]
    mkdirSync(join(tree, 'acme', 'pdf'), { recursive: true })
    writeFileSync(join(tree, 'acme', 'pdf', 'SKILL.md'), '---\nname: PDF tools\ntags: [pdf]\n---\n# PDF\n')
    mkdirSync(join(tree, 'acme', 'bad'))
    writeFileSync(join(tree, 'acme', 'bad', 'SKILL.md'), '# Nothing\n')

    const { status, stderr } = await runCatalog(folder, ['import', tree, '--type', 'skills'])

    expect(status).toBe(1)
    expect(stderr).toBe(
      `${join(tree, 'acme', 'bad', 'SKILL.md')}, front matter: is missing: the file must begin with YAML between two lines of ---\n`,
    )
    expect(await skillIds(folder)).toEqual(['acme/pdf'])
  })

  test('keeps a contributor’s address out of everything public', async () => {
    const folder = temporaryFolder()
    const prompts = fileOf(
      'prompts.csv',
      'act,prompt,contributor\nPoet,Write a poem.,"jane@mail.example,kim"\nCook,Cook.,joe@mail.example\n',
    )

    const { status } = await runCatalog(folder, ['import', prompts, '--type', 'prompts'])

    expect(status).toBe(0)
    const { rows } = await withStoresOf(folder, ({ catalog }) => catalog.exportRows('prompts', 10))
    expect(rows.map(({ title, author }) => [title, author]).sort()).toEqual([
      ['Cook', null],
      ['Poet', 'kim'],
    ])
    expect(JSON.stringify(rows)).not.toContain('mail.example')
  })
})

describe('import of bad input', () => {
  test('tells each rejected record by file, line and reason, and goes on', async () => {
    const folder = temporaryFolder()
    const file = fileOf(
      'skills.ndjson',
      `\ufeff${line('a')}{"owner":"acme"\n${line('b', { stars: 'many' })}{"owner":"acme","repo":"${'x'.repeat(5_000_000)}"}\n{"owner":"acme","repo":"c","name":"C\\udc00"}\n`,
    )

    const { status, stderr, json } = await runCatalog(folder, ['import', file, '--type', 'skills', '--json'])

    expect(status).toBe(1)
    expect(stderr.trimEnd().split('\n')).toEqual([
      expect.stringMatching(`^${file}, line 2: is not valid JSON: `),
      `${file}, line 3: stars: must be a whole number, 0 or more, not "many"`,
      `${file}, line 4: is longer than the 1048576 bytes that a record may have`,
    ])
    expect(json).toMatchObject({ status: 1, read: 5, added: 2, rejected: 3 })
    expect(await withStoresOf(folder, ({ catalog }) => catalog.findSkill('acme/c'))).toMatchObject({
      skill: { name: 'C' },
    })
  })

  test('tells the first 20 and how many more there are, or all with --verbose', async () => {
    const args = ['import', fileOf('skills.ndjson', '{}\n'.repeat(50)), '--type', 'skills', '--dry-run']

    const brief = await runCatalog(temporaryFolder(), args)
    const verbose = await runCatalog(temporaryFolder(), [...args, '--verbose'])

    expect(brief.stderr.trimEnd().split('\n')).toHaveLength(21)
    expect(brief.stderr).toContain('... and 30 more rejected records; --verbose tells all of them.')
    expect(verbose.stderr.trimEnd().split('\n')).toHaveLength(50)
    expect([brief.status, verbose.status]).toEqual([1, 1])
  })

  test('says that a CSV with a missing quote was not read to its end', async () => {
    const folder = temporaryFolder()
    const file = fileOf('skills.csv', 'owner,repo\nacme,pdf\nacme,"csv\nacme,xml\n')

    const { status, stderr } = await runCatalog(folder, ['import', file, '--type', 'skills'])

    expect(status).toBe(1)
    expect(stderr).toContain(`${file} could not be read on from line 3: a quoted cell begins there`)
    expect(stderr).toContain('Not every source was read to its end')
    expect(await skillIds(folder)).toEqual(['acme/pdf'])
  })

  test('goes on behind a source that cannot be read, and ends with 2 when there is no other', async () => {
    const folder = temporaryFolder()
    const missing = join(folder, 'missing.ndjson')

    const both = await runCatalog(folder, ['import', missing, fileOf('a.ndjson', line('a')), '--type', 'skills'])
    const alone = await runCatalog(folder, ['import', missing, '--type', 'skills'])

    expect([both.status, alone.status]).toEqual([1, 2])
    expect(both.stderr).toContain(`${missing} does not exist. Check the path.`)
    expect(alone.stderr).toContain('Nothing could be read.')
    expect(await skillIds(folder)).toEqual(['acme/a'])
  })

  test('tells a folder without permission and takes what else there is', async () => {
    const tree = temporaryFolder()
    mkdirSync(join(tree, 'closed'))
    writeFileSync(join(tree, 'closed', 'b.ndjson'), line('b'))
    writeFileSync(join(tree, 'a.ndjson'), line('a'))
    chmodSync(join(tree, 'closed'), 0o000)
    chmodSync(tree, 0o755)
    // The superuser may look into any folder: as nobody, the command may not.
    const asNobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

    const { status, stderr, json } = await startCatalog(
      join(tree, 'data'),
      ['import', tree, '--type', 'skills', '--dry-run', '--json'],
      asNobody,
    ).ended
    chmodSync(join(tree, 'closed'), 0o755)

    expect(stderr).toContain(`${join(tree, 'closed')} may not be read by this user. Check its permissions.`)
    expect([status, json['added']]).toEqual([1, 1])
  })

  test('does not take a prompt for a skill, nor a folder without records for one with', async () => {
    const tree = temporaryFolder()
    const empty = await runCatalog(temporaryFolder(), ['import', tree, '--type', 'skills'])
    writeFileSync(join(tree, 'SKILL.md'), '---\nname: a\n---\n')
    const prompts = await runCatalog(temporaryFolder(), ['import', tree, '--type', 'prompts'])

    expect([empty.status, prompts.status]).toEqual([2, 2])
    expect(empty.stderr).toContain('There is nothing to read in')
    expect(prompts.stderr).toContain('Use --type skills.')
  })

  test('cannot colour or move what the terminal shows', async () => {
    const file = fileOf('a.csv', '\u001b[31mowner\u009b2J,x\n1,2\n')

    const { stderr } = await runCatalog(temporaryFolder(), ['import', file, '--type', 'prompts'])

    expect(stderr).toContain('?[31mowner?2J')
    expect(stderr.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u)
  })
})

describe('import --dry-run', () => {
  test('tells what would be done, and makes not even the folder', async () => {
    const folder = join(temporaryFolder(), 'data')
    const file = fileOf('skills.ndjson', line('a') + line('b'))

    const { status, stdout } = await runCatalog(folder, ['import', file, '--type', 'skills', '--dry-run'])

    expect(status).toBe(0)
    expect(stdout).toMatch(/2 added.*\nNothing was written: this was a dry run\.\n$/)
    expect(existsSync(folder)).toBe(false)
  })
})

describe('import --replace', () => {
  test('turns what is no longer there into tombstones', async () => {
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

  test('leaves a skill hidden that a moderator has hidden, unless its source says otherwise', async () => {
    const folder = temporaryFolder()
    const states = () => withStoresOf(folder, async ({ catalog }) => (await catalog.findSkill('acme/tool')).state)
    const take = (more: object) =>
      runCatalog(folder, ['import', fileOf('skills.ndjson', line('tool', more)), '--type', 'skills', '--no-update'])

    await take({ state: 'hidden' })
    await take({ description: 'crawled again', private: false })
    expect(await states()).toBe('unknown')

    await take({ state: 'published' })
    expect(await states()).toBe('published')
  })

  test('removes nothing when the source is cut, and ends with 2', async () => {
    const folder = temporaryFolder()
    await runCatalog(folder, ['import', fileOf('a.ndjson', line('a') + line('b')), '--type', 'skills'])

    const { status, stderr } = await runCatalog(folder, [
      'import',
      fileOf('a.ndjson', `${line('a')}{"own`),
      '--type',
      'skills',
      '--replace',
    ])

    expect(status).toBe(2)
    expect(stderr).toContain(
      'Nothing was removed, although --replace asks for it: not every source was read to its end.',
    )
    expect(await skillIds(folder)).toEqual(['acme/a', 'acme/b'])
  })
})

describe('import beside others', () => {
  test('ends with 2 while another import is writing', async () => {
    const folder = temporaryFolder()

    const run = await withStoresOf(folder, async ({ catalog }) => {
      const lock = await catalog.lock('import')
      const ended = await runCatalog(folder, ['import', fileOf('a.ndjson', line('a')), '--type', 'skills'])
      await lock?.release()
      return ended
    })

    expect(run.status).toBe(2)
    expect(run.stderr).toContain(
      'Another import or seed is writing to this catalog. Wait for it to end, then try again.',
    )
  })

  test('waits for a sync that is under way elsewhere', async () => {
    const folder = temporaryFolder()

    const run = await withStoresOf(folder, async ({ catalog }) => {
      const lock = await catalog.lock('sync-skills')
      const command = startCatalog(folder, ['import', fileOf('a.ndjson', line('a')), '--type', 'skills', '--json'])
      await until(async () => (await catalog.listIds('skills', null, 1)).length === 1)
      await lock?.release()
      return command.ended
    })

    expect([run.status, run.json['sync']]).toEqual([0, expect.objectContaining({ published: 1 })])
  })
})

test('an import that leaves nothing to be indexed says that the index is up to date', async () => {
  const folder = temporaryFolder()
  const args = ['import', fileOf('a.ndjson', line('a')), '--type', 'skills']
  await runCatalog(folder, args)

  const again = await runCatalog(folder, args)
  const asJson = await runCatalog(folder, [...args, '--json'])

  expect(again.stdout).toMatch(/1 unchanged.*\nSearch index: up to date\n/)
  expect(asJson.json).toMatchObject({ sync: { published: 0, removed: 0, rejected: 0 } })
})

describe('an import that does not come to its end', () => {
  const many = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => line(`s${from + index}`)).join('')

  test('ends with 2 on Ctrl-C, also while it waits for its input', async () => {
    const folder = temporaryFolder()
    const command = startCatalog(folder, ['import', '-', '--type', 'skills', '--json'])
    command.stdin.write(many(0, 5_000))
    await until(() =>
      withStoresOf(folder, async ({ catalog }) => (await catalog.listIds('skills', null, 1)).length === 1),
    )

    command.signal('SIGINT')
    const { status, stderr, json } = await command.ended

    expect([status, json['error']]).toEqual([2, expect.objectContaining({ code: 'stopped' })])
    expect(stderr).toBe('Stopped. What was done stays done; run it again to complete it.\n')
    expect((await skillIds(folder)).length % 1_000).toBe(0)
  })

  test('is completed by the next one when it was killed', async () => {
    const folder = temporaryFolder()
    const command = startCatalog(folder, ['import', '-', '--type', 'skills'])
    command.stdin.write(many(0, 2_500))
    await until(() =>
      withStoresOf(folder, async ({ catalog }) => (await catalog.listIds('skills', null, 1)).length === 1),
    )
    command.signal('SIGKILL')
    expect((await command.ended).status).toBe('SIGKILL')

    const again = await runCatalog(folder, ['import', '-', '--type', 'skills', '--json'], many(0, 3_000))
    const verified = await runCatalog(folder, ['verify', '--json'])

    expect(again.json).toMatchObject({ status: 0, read: 3_000, changed: 0, rejected: 0 })
    expect(verified.json).toMatchObject({ status: 0, compared: 3_000, missing: 0, extra: 0, different: 0, pending: 0 })
  })

  test('says so when there is no room, and keeps what was written', async () => {
    const folder = temporaryFolder()
    await runCatalog(folder, ['import', fileOf('a.ndjson', line('first')), '--type', 'skills'])
    const file = fileOf(
      'b.ndjson',
      Array.from({ length: 5_000 }, (_, index) => line(`s${index}`, { description: `${index} `.repeat(100) })).join(''),
    )

    // Files of this process may not grow beyond 2 MB: what a full disk looks like to it.
    const full = startCatalog(folder, ['import', file, '--type', 'skills'], {
      wrap: (command) => ['sh', '-c', 'trap "" XFSZ; ulimit -f 4000; exec "$@"', 'sh', ...command],
    })
    const { status, stderr } = await full.ended
    const again = await runCatalog(folder, ['import', file, '--type', 'skills', '--json'])

    expect(status).toBe(2)
    expect(stderr).toMatch(/There is no room left for .*What was written before stays; free some space/)
    expect(again.json).toMatchObject({ status: 0, read: 5_000, rejected: 0, changed: 0 })
  })
})

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) {
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
