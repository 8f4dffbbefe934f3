import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from '@jest/globals'
import { toPublicPrompt } from '../../shared/records/records.js'
import { toPublicSkill } from '../../shared/records/skill.js'
import { aPrompt, aSkill } from '../support/factories.js'
import {
  type AnnouncedFile,
  announced,
  changes,
  endless,
  filePath,
  type HostileSource,
  json,
  redirect,
  startHostileSource,
  text,
} from '../support/hostile-source.js'
import { followMirror, mirror, partSizes, skillsIn, snapshotRecordsIn } from '../support/mirror.js'
import { temporaryFolder } from '../support/temporary-folder.js'

const mebibyte = 1_048_576
const skill = (overrides: Record<string, unknown>) => ({ ...toPublicSkill(aSkill({ owner: 'acme' })), ...overrides })
const lines = (...records: unknown[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('')

const two = lines(skill({}), skill({}))
const served = { [filePath('skills')]: text(two) }
const notUnderstood = (message: string) => ({
  code: 'source_not_understood',
  message: expect.stringContaining(message),
})

describe('mirror of a hostile source', () => {
  test.each<[what: string, files: AnnouncedFile[], answers: HostileSource['answers'], error: object]>([
    [
      'an endless JSON response',
      [],
      { '/api/v1/exports': endless(Buffer.from('['.repeat(65_536))) },
      { code: 'answer_too_large' },
    ],
    [
      'a small response that decompresses to a large one',
      [],
      {
        '/api/v1/exports': text(gzipSync(Buffer.alloc(64 * mebibyte, '[')), { 'Content-Encoding': 'gzip' }),
      },
      { code: 'answer_too_large' },
    ],
    [
      'a file larger than the free disk space',
      [{ ...announced('skills', ''), bytes: 2 ** 52 }],
      {},
      { code: 'download_too_large' },
    ],
    ['a file with millions of records', [announced('skills', two, 5_000_001)], {}, notUnderstood('rows')],
    ['a file with more records than announced', [announced('skills', two, 1)], served, notUnderstood('1 records')],
    ['a file with fewer records than announced', [announced('skills', two, 3)], served, notUnderstood('3 records')],
    [
      'a source that never keeps its changes',
      [],
      { '/api/v1/changes': json({ code: 'changes_gone', detail: 'Gone.' }, 410) },
      { code: 'changes_gone' },
    ],
  ])('%s is abandoned, and not downloaded where its size is known', async (_, files, answers, error) => {
    const source = await startHostileSource(files)
    Object.assign(source.answers, answers)

    expect((await mirror(source.url, temporaryFolder())).json).toMatchObject({ status: 2, error })
    expect(source.sentBytes).toBeLessThan(32 * mebibyte)
    expect(source.paths.length).toBeLessThan(20)
    expect(source.paths.includes(filePath('skills'))).toBe(Object.hasOwn(answers, filePath('skills')))
  })

  test('a download is aborted at the announced size', async () => {
    const file = announced('skills', lines(skill({})))
    const source = await startHostileSource([file])
    source.answers[filePath('skills')] = endless(Buffer.alloc(65_536, 'x'))
    const folder = temporaryFolder()

    expect((await mirror(source.url, folder)).json).toMatchObject({ status: 2, error: { code: 'download_damaged' } })
    expect(source.paths.filter((path) => path === filePath('skills'))).toHaveLength(2)
    expect(source.sentBytes).toBeLessThan(32 * mebibyte)
    expect(partSizes(folder)).toEqual([])
  })

  test('each line that is too long or invalid is rejected', async () => {
    const file = [
      lines(skill({ repo: 'one', id: 'acme/one' })),
      `{"id":"acme/long","owner":"acme","repo":"long","description":"${'x'.repeat(3 * mebibyte)}"}\n`,
      '{"id":"acme/cut"\n',
      'null\n',
      lines(skill({ repo: 'two', id: 'acme/two' })),
    ].join('')
    const source = await startHostileSource([announced('skills', file)])
    source.answers[filePath('skills')] = text(file)
    const folder = temporaryFolder()

    const { status, json: result, stderr } = await mirror(source.url, folder)

    expect(status).toBe(1)
    expect(result).toMatchObject({ from: 'export', skills: 2, published: 2, rejected: 3 })
    expect(stderr).toContain(`${filePath('skills')}, line 2: is longer than`)
    expect((await skillsIn(folder)).map(({ id }) => id)).toEqual(['acme/one', 'acme/two'])
    expect(partSizes(folder)).toEqual([])
  })

  test('records that contradict themselves, or that an import would reject, are rejected', async () => {
    const good = skill({ repo: 'good', id: 'acme/good' })
    const records = [
      good,
      skill({ repo: 'other', id: 'acme/another' }),
      skill({ owner: '..', repo: 'up', id: '../up' }),
      skill({ repo: 'Case', id: 'acme/Case' }),
    ]
    const source = await startHostileSource()
    source.answers['/api/v1/changes'] = changes([
      ...records.map((record) => ({ id: record.id, skill: record })),
      { id: 'acme/renamed', skill: skill({ repo: 'secret', id: 'acme/secret' }) },
      { id: 7, skill: null },
      { id: 'acme/text', skill: 'text' },
      { skill: good },
      null,
    ])
    const folder = temporaryFolder()

    const { status, json: result } = await mirror(source.url, folder)

    expect([status, result]).toEqual([1, expect.objectContaining({ skills: 1, published: 1, rejected: 8 })])
    expect((await skillsIn(folder)).map(({ id }) => id)).toEqual(['acme/good'])
  })

  test('a source sets public fields only', async () => {
    const record = skill({ repo: 'one', id: 'acme/one', state: 'hidden', formerIds: ['acme/two'], note: 'x' })
    const source = await startHostileSource()
    source.answers['/api/v1/changes'] = changes([{ id: 'acme/one', skill: record }])
    const folder = temporaryFolder()

    expect((await mirror(source.url, folder)).json).toMatchObject({ status: 0, skills: 1, rejected: 0 })
    expect(await skillsIn(folder)).toHaveLength(1)
  })

  test('nothing is removed when a rejected record has no id', async () => {
    const prompt = (id: string) => toPublicPrompt(aPrompt({ id }))
    const before = lines(prompt('one'), prompt('two'))
    const source = await startHostileSource([announced('prompts', before)])
    source.answers[filePath('prompts')] = text(before)
    const folder = temporaryFolder()
    await mirror(source.url, folder)
    const after = `${lines(prompt('one'))}{"id":"two"\n`
    const later = await startHostileSource([announced('prompts', after)])
    source.answers['/api/v1/exports'] = later.answers['/api/v1/exports'] ?? json({})
    source.answers[filePath('prompts')] = text(after)

    const { json: result, stderr } = await mirror(source.url, folder)

    expect(result).toMatchObject({ status: 1, rejected: 1, prompts: { count: 2, removed: 0 } })
    expect(stderr).toContain('No prompts are removed')
    expect((await snapshotRecordsIn(folder)).prompts.map(({ id }) => id)).toEqual(['one', 'two'])
  })

  test('files of an interrupted run do not stop the next one', async () => {
    const file = lines(skill({ repo: 'one', id: 'acme/one' }))
    const announcedFile = announced('skills', file)
    const source = await startHostileSource([announcedFile])
    source.answers[filePath('skills')] = text(file)
    const folder = temporaryFolder()
    writeFileSync(join(folder, `mirror-${announcedFile.sha256}.part`), 'x'.repeat(announcedFile.bytes))
    writeFileSync(join(folder, 'mirror.part'), 'of an earlier version')

    expect((await mirror(source.url, folder)).json).toMatchObject({ status: 0, skills: 1 })
    expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([])
  })

  test('redirects to another server are refused without a request to it', async () => {
    const inside = await startHostileSource()
    const source = await startHostileSource()
    source.answers['/api/v1/exports'] = redirect(`${inside.url}/api/v1/exports`)

    expect((await mirror(source.url, temporaryFolder())).json).toMatchObject({
      status: 2,
      error: { code: 'source_redirects', message: expect.stringContaining(`redirects to ${inside.url}`) },
    })
    expect(inside.paths).toEqual([])
  })

  test('redirects within the source are followed, but not in a circle', async () => {
    const source = await startHostileSource()
    source.answers['/moved'] = json({ data: [] })
    source.answers['/api/v1/exports'] = redirect('/moved')
    expect((await mirror(source.url, temporaryFolder())).json).toMatchObject({ status: 0 })

    source.answers['/moved'] = redirect('/api/v1/exports')
    source.paths.length = 0
    expect((await mirror(source.url, temporaryFolder())).json).toMatchObject({
      status: 2,
      error: { code: 'source_redirects' },
    })
    expect(source.paths.length).toBeLessThan(10)
  })

  test('--follow continues after answers that are not those of a catalog', async () => {
    const source = await startHostileSource()
    const folder = temporaryFolder()
    const following = followMirror(source.url, folder)
    let running = true
    void following.ended.finally(() => {
      running = false
    })
    const askedTimes = async (times: number) => {
      source.paths.length = 0
      while (running && source.paths.filter((path) => path === '/api/v1/changes').length < times) {
        await sleep(50)
      }
    }
    // Two for the copy.
    await askedTimes(3)

    for (const answer of [text('<html>'), json('Not here.', 403), redirect('http://127.0.0.1:1/login')]) {
      source.answers['/api/v1/changes'] = answer
      await askedTimes(2)
    }
    source.answers['/api/v1/changes'] = json({
      data: [{ id: 'acme/later', skill: skill({ repo: 'later', id: 'acme/later' }) }],
      pagination: { nextSince: 2, more: false },
    })
    await askedTimes(2)
    following.signal('SIGINT')

    expect(await following.ended).toMatchObject({ status: 0, json: { skills: 1, published: 1 } })
  })

  test('--verify reports records that contradict themselves as missing', async () => {
    const owner = 'a'.repeat(100)
    const records = Array.from({ length: 50 }, (_, n) =>
      skill({ repo: 'other', id: `${owner}/${'b'.repeat(98)}${n + 10}` }),
    )
    const source = await startHostileSource()
    source.answers['/api/v1/changes'] = changes(records.map((record) => ({ id: record.id, skill: record })))
    let maxAddressCharacters = 0
    source.answers['/api/v1/skills'] = (response, request) => {
      maxAddressCharacters = Math.max(maxAddressCharacters, request.url?.length ?? 0)
      json({ data: records, pagination: { total: 50, nextCursor: null } })(response, request)
    }

    const { json: result, stderr } = await mirror(source.url, temporaryFolder(), '--verify')

    expect(result).toMatchObject({ status: 1, verified: { compared: 50, missing: 50, extra: 0, different: 0 } })
    expect(stderr).toContain(`${records[0]?.id}: at the source, but not in the copy`)
    // No address is longer than a catalog accepts.
    expect(maxAddressCharacters).toBeLessThanOrEqual(8_000)
  })

  test('announced files that are gone are no error', async () => {
    const [skills, prompts] = [lines(skill({})), lines(toPublicPrompt(aPrompt()))]
    const source = await startHostileSource([announced('skills', skills), announced('prompts', prompts)])
    source.answers[filePath('skills')] = json({ code: 'export_gone', detail: 'Gone.' }, 410)
    source.answers[filePath('prompts')] = json({ code: 'export_gone', detail: 'Gone.' }, 410)

    const { json: result } = await mirror(source.url, temporaryFolder())

    expect(result).toMatchObject({ status: 0, from: 'changes', prompts: { count: 0, snapshot: null } })
  })
})
