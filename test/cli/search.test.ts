import { describe, expect, test } from '@jest/globals'
import { aSkill } from '../support/factories.js'
import { startHttpRelay } from '../support/relays.js'
import { runCatalog, runInProcess } from '../support/run-catalog.js'
import { sharedTestApp, startTestApp } from '../support/test-app.js'

/** Runs a command that only asks an API; its data folder is never opened. */
const run = (...args: string[]) => runCatalog('/dev/null/none', args)

const sample = sharedTestApp({ sample: true })
const own = sharedTestApp({
  skills: [
    ...['a', 'b', 'c', null].map((skill) => aSkill({ repo: 'labels', skill, name: `Label ${skill}` })),
    aSkill({ repo: 'new', name: 'Cursor', formerIds: ['acme/old'] }),
  ],
})

describe('search', () => {
  test('prints the best hits with their facts, and how many there are', async () => {
    const { url } = sample()

    const { status, stdout, stderr } = await run('search', 'pdf', 'tabel', '--limit', '2', '--url', url)

    expect([status, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(
      /^ {2}1\. Quillmoor\/pdf-table-lifter {2}PDF Table Lifter\n {5}★ 18,420 · MIT · Python · updated 2025-09-29T\S+\n {5}Extracts tables from /,
    )
    expect(stdout).toMatch(/\n\d+ skills found, 1 to 2 shown; --page 2 shows more\.\n$/)
  })

  test('passes the answer of the API on with --json', async () => {
    const { url } = sample()

    const { json } = await run('search', 'pdf table', '--limit', '1', '--url', url, '--json')
    const answer = await fetch(`${url}/api/v1/skills/search?q=pdf+table&limit=1`)
    const { tookMs: _, ...expected } = (await answer.json()) as Record<string, unknown>

    expect(json).toMatchObject({ command: 'search', status: 0, ...expected })
  })

  test('says how to filter where a word looks like a filter', async () => {
    const { url } = sample()
    const said = 'owner:quillmoor was searched for as text. To filter, use --owner with quillmoor instead.'

    const found = await run('search', 'pdf', 'owner:quillmoor', '--limit', '1', '--url', url)
    const none = await run('search', 'zzzzqqqq', 'owner:quillmoor', '--license', 'none', '--url', url)

    expect(found.stdout).toContain(`1 to 1 shown; --page 2 shows more.\n\n${said}\n`)
    expect(none.stdout).toContain(`Try fewer or other words.\n${said}\n`)
  })

  test('shows the best skill of each repository, and how many others it has', async () => {
    const { url } = own()

    const { stdout } = await run('search', 'label', '--distinct', 'repository', '--mode', 'keyword', '--url', url)

    expect(stdout).toContain('3 more in this repository')
    expect(stdout).toContain('1 repository found, 1 to 1 shown.')
    expect((await run('search', 'label', '--distinct', 'owner', '--url', url)).status).toBe(2)
  })

  test('says so when nothing is found', async () => {
    const { url } = own()

    const { status, stdout } = await run('search', 'zzzzqqqq', '--mode', 'keyword', '--url', url)

    expect([status, stdout]).toEqual([0, 'No skill matches zzzzqqqq. Try fewer or other words.\n'])
  })

  test('names refused values by their options', async () => {
    const { url } = own()

    const { status, stderr, json } = await run(
      'search',
      'x',
      '--limit',
      '500',
      '--updated-since',
      'soon',
      '--url',
      url,
      '--json',
    )

    expect(status).toBe(2)
    expect(stderr).toMatch(/^--limit: must be .*100\.\n--updated-since: must be a date/)
    expect(json).toMatchObject({ command: 'search', status: 2, error: { code: 'invalid_parameters' } })
  })

  test('reports the wait when the rate limit is reached', async () => {
    const { url } = await startTestApp({ skills: [aSkill()], config: { rateLimitPerMinute: 1 } })

    await run('search', 'x', '--url', url)
    const { status, stderr, json } = await run('search', 'x', '--url', url, '--json')

    expect([status, stderr]).toEqual([2, expect.stringMatching(/^.* Wait \d+ s, then continue;.*\n$/)])
    expect(json).toMatchObject({ error: { code: 'rate_limited' } })
  })

  test('says that nothing answers at an address, and what to do', async () => {
    const { status, stderr } = await run('search', 'x', '--url', 'http://127.0.0.1:9')

    expect([status, stderr]).toEqual([
      2,
      expect.stringMatching(/^http:\/\/127\.0\.0\.1:9 does not answer \(.*npm start.*--url\.\n$/),
    ])
  })

  test.each([
    ['an answer that is no JSON', 200, '<html>'],
    ['an answer of another API', 200, '{"data": 1}'],
    ['an error page', 502, '<html>'],
  ])('refuses %s', async (_what, status, body) => {
    const relay = await startHttpRelay(own().url)
    relay.script = async () => ({ status, headers: {}, body })

    const refused = await run('search', 'x', '--url', relay.url)

    expect([refused.status, refused.stderr]).toEqual([
      2,
      expect.stringContaining(`${relay.url} does not answer as a Skill Catalog does`),
    ])
  })

  test('uses the configured service by default', async () => {
    const found = await runInProcess(
      { PORT: new URL(own().url).port },
      ['search', 'cursor', '--mode', 'keyword', '--json'],
      '',
    )
    const unknown = await runInProcess({ PORT: '0' }, ['search', 'cursor'], '')

    expect(found.json).toMatchObject({ data: [{ repo: 'new' }] })
    expect([unknown.status, unknown.stderr]).toEqual([2, expect.stringContaining('--url')])
  })
})

describe('get', () => {
  test('prints one skill with its fields', async () => {
    const { url } = sample()

    const { status, stdout } = await run('get', 'QUILLMOOR/pdf-table-lifter', '--url', url)

    expect(status).toBe(0)
    expect(stdout).toMatch(/^Quillmoor\/pdf-table-lifter {2}PDF Table Lifter\n\nExtracts tables /)
    expect(stdout).toMatch(/^license {5}MIT$/m)
    expect(stdout).toMatch(/^stars {7}18,420$/m)
    expect(stdout).toMatch(/^install +npx skills add https:\/\/github\.example\/Quillmoor\/pdf-table-lifter$/m)
  })

  test('prints the text of a skill', async () => {
    const { url } = sample()

    const { status, stdout } = await run('get', 'quillmoor/pdf-table-lifter', '--text', '--url', url)
    const none = await run('get', 'quillmoor/handwriting-index', '--text', '--url', url)

    expect(status).toBe(0)
    expect(stdout).toMatch(/^---\nname: pdf-table-lifter\n/)
    expect(none).toMatchObject({ status: 2, stderr: expect.stringContaining('The catalog has no text of') })
  })

  test('follows a former name', async () => {
    const { json } = await run('get', 'acme/old', '--url', own().url, '--json')

    expect(json).toMatchObject({ command: 'get', status: 0, data: { id: 'acme/new' } })
  })

  test('of an unknown skill names similar ones', async () => {
    const { url } = sample()

    const { status, stderr, json } = await run('get', 'quillmoor/pdf-table', '--url', url, '--json')

    expect(status).toBe(2)
    expect(stderr).toContain('Similar: quillmoor/pdf-table-lifter')
    expect(stderr).toContain(
      'There is no skill quillmoor/pdf-table. Search for it with: npm run catalog -- search <words>',
    )
    expect(json).toMatchObject({ error: { code: 'skill_unknown' } })
  })

  test('names an address below which the API is not', async () => {
    const url = `${sample().url}/api`

    const { status, stderr } = await run('get', 'quillmoor/pdf-table-lifter', '--url', url)

    expect([status, stderr]).toEqual([
      2,
      `${url} does not answer as a Skill Catalog does (the API is not below it). Check the address in --url.\n`,
    ])
  })

  test('refuses what is no id', async () => {
    expect(await run('get', 'pdf')).toMatchObject({ status: 2, stderr: expect.stringContaining('owner/repo') })
  })
})
