import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { dirname, join } from 'node:path'
import { json } from 'node:stream/consumers'
import { describe, expect, test } from '@jest/globals'
import { digestOf } from '../../shared/text/skill-text.js'
import { listenForTest } from '../support/after-test.js'
import { aSkill } from '../support/factories.js'
import { runCatalog } from '../support/run-catalog.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { sharedTestApp } from '../support/test-app.js'

/** Runs the command, whose data folder is never opened. */
const run = (args: string[], stdin = '') => runCatalog('/dev/null/none', ['resolve', ...args], stdin)

/** A lock file with these entries, and files next to it. */
function lockFile(skills: object, files: Record<string, string> = {}, name = 'skills-lock.json'): string {
  const folder = temporaryFolder()
  for (const [path, text] of Object.entries({ ...files, [name]: JSON.stringify({ version: 1, skills }) })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return join(folder, name)
}

const github = { source: 'Acme/Kit', sourceType: 'github', computedHash: 'f'.repeat(64) }
const [text, other] = ['---\nname: pdf\n---\n# PDF\n', '---\nname: pdf\n---\n# Old\n']

describe('resolve', () => {
  const api = sharedTestApp({
    skills: [
      aSkill({ owner: 'Acme', repo: 'Kit', skill: 'pdf', digest: digestOf(text), version: '2.1', url: null }),
      aSkill({ owner: 'Acme', repo: 'Kit', skill: 'letters', formerIds: ['acme/kit@mail'], url: null }),
      aSkill({ owner: 'Acme', repo: 'Kit', skill: 'gone', state: 'removed', removedAt: '2026-01-31T00:00:00.000Z' }),
    ],
  })

  test('prints what is known of each entry as a table; something to do is status 1', async () => {
    const file = lockFile(
      { pdf: github, mail: github, gone: github, none: github, odd: 5 },
      { '.agents/skills/pdf/SKILL.md': other, '.agents/skills/mail/SKILL.md': other },
    )

    const { status, stdout, stderr } = await run([file, '--url', api().url])

    expect([status, stderr]).toEqual([1, ''])
    const lines = stdout.split('\n').map((line) => line.split(/ {2,}/))
    expect(lines.map(([skill = '', state, id]) => [skill, state, id])).toEqual([
      ['skill', 'status', 'id'],
      ['pdf', 'outdated', 'acme/kit@pdf'],
      ['mail', 'renamed', 'acme/kit@letters'],
      ['gone', 'removed', 'acme/kit@gone'],
      ['none', 'unknown', 'acme/kit@none'],
      ['-', 'invalid', '-'],
      ['', undefined, undefined],
      ['5 skills: 1 outdated, 1 renamed, 1 removed, 1 unknown, 1 invalid', undefined, undefined],
      ['', undefined, undefined],
    ])
    expect(lines.map((cells) => cells[4])).toMatchObject([
      'what is known',
      'another SKILL.md, version 2.1',
      expect.stringMatching(/^was acme\/kit@mail; The catalog does not know the digest/),
      '-',
      'The catalog has no skill of this id and repository.',
      expect.stringMatching(/^The entry is no object: /),
    ])
  })

  test('what is current or unknown is status 0, and --json passes the answer on', async () => {
    const file = lockFile({ pdf: github }, { '.claude/skills/pdf/SKILL.md': text })

    const current = await run([file, '--url', api().url])
    expect([current.status, current.stdout]).toEqual([
      0,
      expect.stringMatching(/\npdf +current +acme\/kit@pdf +\S+ +the same SKILL\.md\n\n1 skill: 1 current\n$/),
    ])
    const unread = await run([file, '--no-local', '--url', api().url, '--json'])
    expect(unread.json).toMatchObject({
      command: 'resolve',
      status: 0,
      data: [{ name: 'pdf', status: 'unknown', reason: 'folder_hash', presentId: 'acme/kit@pdf' }],
    })
  })

  test("reads a user's lock file next to its skills, and a list from standard input", async () => {
    const entry = { source: 'acme/kit', sourceType: 'github', skillFolderHash: 'f'.repeat(40) }
    const global = lockFile({ pdf: entry }, { 'skills/pdf/SKILL.md': text }, '.skill-lock.json')

    expect((await run([global, '--url', api().url, '--json'])).json).toMatchObject({ data: [{ status: 'current' }] })
    const list = JSON.stringify({ skills: [{ id: 'acme/kit@pdf', digest: digestOf(other) }] })
    expect(await run(['-', '--url', api().url], `\uFEFF${list}`)).toMatchObject({
      status: 1,
      stdout: expect.stringContaining('outdated'),
    })
    expect(await run(['-', '--url', api().url], '{"skills":{}}')).toMatchObject({
      status: 0,
      stdout: 'The lock file has no skills.\n',
    })
  })

  test('more than 200 entries are asked for in several requests', async () => {
    const skills = Object.fromEntries(Array.from({ length: 401 }, (_, at) => [`none-${at}`, github]))

    const { status, stdout } = await run([lockFile({ ...skills, pdf: github }), '--url', api().url])

    expect(status).toBe(0)
    expect(stdout).toMatch(/\nnone-400 +unknown[^\n]*\npdf +unknown[^\n]*\n\n402 skills: 402 unknown\n$/)
  })

  test('sends no path of this machine, no credentials, and nothing that the API does not read', async () => {
    const bodies: unknown[] = []
    const url = await listenForTest(
      createServer(async (request, response) => {
        bodies.push(await json(request))
        response.end('{"data":[]}')
      }),
    )
    const mine = { source: '/home/me/mine', sourceType: 'local', sourceUrl: '/home/me/mine', skillPath: 'SKILL.md' }

    const cloned = {
      source: 'https://jane:secret@git.example/acme/kit',
      sourceType: 'git',
      sourceUrl: 'https://secret@git.example/acme/kit?access_token=secret',
    }
    const ofFile = {
      source: '../mine',
      sourceType: 'git',
      sourceUrl: 'file:///home/me/mine',
      skillPath: './a/SKILL.md',
    }

    await run([lockFile({ mine, pdf: { ...github, subagents: ['mine'] }, cloned, ofFile }), '--url', url])

    expect(bodies).toEqual([
      {
        skills: [
          { name: 'mine', sourceType: 'local', source: 'a folder' },
          { ...github, name: 'pdf' },
          {
            name: 'cloned',
            source: 'https://git.example/acme/kit',
            sourceType: 'git',
            sourceUrl: 'https://git.example/acme/kit?access_token=',
          },
          {
            name: 'ofFile',
            source: 'a folder',
            sourceType: 'git',
            sourceUrl: 'a folder',
            skillPath: './a/SKILL.md',
          },
        ],
      },
    ])
  })

  test.each<[what: string, content: string | null, said: RegExp]>([
    ['is missing', null, /skills-lock\.json does not exist\. Check the path\.\n$/],
    [
      'is no JSON',
      '{"version"',
      /skills-lock\.json is not a lock file: it is no JSON with skills in it\. It looks like /,
    ],
    ['has no skills', '{"version":1}', /is not a lock file: /],
    ['is a list', '[]', /is not a lock file: /],
  ])('a file that %s is not resolved', async (_, content, said) => {
    const file = join(temporaryFolder(), 'skills-lock.json')
    if (content !== null) {
      writeFileSync(file, content)
    }
    const { status, stderr, json: result } = await run([file, '--url', api().url, '--json'])

    expect([status, stderr]).toEqual([2, expect.stringMatching(said)])
    expect(result).toMatchObject({ command: 'resolve', error: { code: 'bad_arguments' } })
  })

  test.each(['/api', '/other'])('with an address below which there is no API it says so: %s', async (path) => {
    expect(await run([lockFile({ pdf: github }), '--url', `${api().url}${path}`])).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/does not answer as a Skill Catalog does .*--url/),
    })
  })

  test('without a service it says what to do', async () => {
    expect(await run([lockFile({ pdf: github }), '--url', 'http://127.0.0.1:9'])).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/does not answer .*--url/),
    })
  })
})
