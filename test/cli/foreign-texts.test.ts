import { expect, test } from '@jest/globals'
import { json, startHostileSource } from '../support/hostile-source.js'
import { emptyDataFolder, runCatalog } from '../support/run-catalog.js'
import { temporaryFolder } from '../support/temporary-folder.js'

const forged = 'Gone.\n1,000 skills from https://evil.example\u001b[2J\u202e\r\nDone.'
const oneLine = 'Gone. 1,000 skills from https://evil.example?[2J Done.'

const skill = {
  ...{
    id: 'acme/pdf',
    owner: 'acme',
    repo: 'pdf',
    name: 'PDF\n  9. evil/skill\u001b[2J',
    topics: [],
    license: null,
    stars: 1,
  },
  ...{ description: 'It\nhomepage    https://evil.example', language: null, homepage: null, url: null, forks: null },
  ...{ version: null, archived: false, createdAt: null, updatedAt: null, publishedAt: null, indexedAt: null },
}

test.each([400, 404, 500])('the detail of a problem %i cannot look like lines of a command', async (status) => {
  const source = await startHostileSource()
  const problem = json({ code: 'export_gone', detail: forged, suggestions: ['a/b\nForged.'] }, status)
  source.answers['/api/v1/skills/search'] = problem
  source.answers['/api/v1/skills/acme/pdf'] = problem
  source.answers['/api/v1/changes'] = json({ code: 'export_gone', detail: forged }, 400)
  source.answers['/api/v1/resolve'] = problem
  const folder = temporaryFolder()

  const runs = [
    await runCatalog(folder, ['search', 'pdf', '--url', source.url]),
    await runCatalog(folder, ['get', 'acme/pdf', '--url', source.url]),
    await runCatalog(folder, ['resolve', '-', '--url', source.url], '{"skills":[5]}'),
    await runCatalog(folder, ['mirror', source.url, folder]),
  ]

  for (const { stdout, stderr } of runs) {
    expect(stdout).toBe('')
    expect(stderr).toContain(oneLine)
    expect(stderr).not.toMatch(/^(?:1,000 skills|Done|Forged)/m)
  }
})

test('the texts of a skill cannot look like lines of a command, or move the cursor', async () => {
  const source = await startHostileSource()
  const pagination = { page: 1, limit: 10, total: 1, totalIsLowerBound: false, totalPages: 1 }
  source.answers['/api/v1/skills/search'] = json({ data: [skill], degraded: false, query: 'pdf', pagination })
  source.answers['/api/v1/skills/acme/pdf'] = json({ data: skill })
  const folder = temporaryFolder()

  const found = await runCatalog(folder, ['search', 'pdf', '--url', source.url])
  const got = await runCatalog(folder, ['get', 'acme/pdf', '--url', source.url])

  expect(found.stdout).toContain('  1. acme/pdf  PDF 9. evil/skill?[2J\n')
  expect(found.stdout + got.stdout).not.toMatch(/^\s*(?:9\.|homepage)/m)
})

test('what is said of a lock file cannot look like lines of a command', async () => {
  const source = await startHostileSource()
  const resolved = { compared: forged, isSame: true, presentId: forged, version: forged, changedAt: forged }
  const row = { ...resolved, name: forged, id: forged, status: forged, reason: forged, detail: forged }
  source.answers['/api/v1/resolve'] = json({ data: [row] })

  const { status, stdout } = await runCatalog(
    temporaryFolder(),
    ['resolve', '-', '--url', source.url],
    '{"skills":[5]}',
  )

  expect(status).toBe(1)
  expect(stdout).toContain(oneLine)
  expect(stdout).not.toMatch(/^(?:1,000 skills|Done)/m)
})

/** The text of the answer to one call of a tool. */
async function callOver(url: string, folder: string): Promise<string> {
  const message = (id: number, method: string, params: object) =>
    `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`
  const initialize = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
  const { stdout } = await runCatalog(
    folder,
    ['mcp', '--url', url],
    message(1, 'initialize', initialize) +
      `${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n` +
      message(2, 'tools/call', { name: 'get_skill', arguments: { id: 'acme/pdf' } }),
  )
  return stdout
}

test('mcp --url says of a fault that it is of the other catalog', async () => {
  const source = await startHostileSource()
  const folder = await emptyDataFolder()
  const path = '/api/v1/skills/acme/pdf'
  const answered: string[] = []
  for (const answer of [
    json({ code: 'internal_error', detail: forged }, 500),
    json({ code: 'rate_limited', detail: 'Wait 7 s.' }, 429),
    json({ code: 'code_of_later', detail: 'Later.' }, 400),
    json({ data: { id: 5 } }),
  ]) {
    source.answers[path] = answer
    answered.push(await callOver(source.url, folder))
  }

  for (const text of answered) {
    expect(text).toContain(source.url)
    expect(text).not.toContain('our side')
  }
  expect(answered[0]).toContain(`answers 500: ${oneLine}`)
  expect(answered[1]).toContain('answers 429: Wait 7 s.')
  expect(answered[2]).toContain('answers 400: Later.')
  expect(answered[3]).toContain('or one of another version')
})

test('a message of 60 MB on standard input is refused with words, and the next one answered', async () => {
  const ping = '{"jsonrpc":"2.0","id":7,"method":"ping"}\n'

  const { stdout } = await runCatalog(
    await emptyDataFolder(),
    ['mcp'],
    `${'x'.repeat(60_000_000)}\n${'y'.repeat(2_000_000)}\n${ping}`,
  )

  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines.slice(0, 2)).toEqual(
    Array.from({ length: 2 }, () => ({
      jsonrpc: '2.0',
      id: null,
      error: { code: -32_600, message: 'The message has more than 1048576 bytes: send a smaller one.' },
    })),
  )
  expect(lines[2]).toMatchObject({ id: 7 })
})
