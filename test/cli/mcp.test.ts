import { hash } from 'node:crypto'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import { describe, expect, test } from '@jest/globals'
import type { Client, Transport } from '@modelcontextprotocol/client'
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { openEmbedded } from '../../shared/adapters/embedded/open-embedded.js'
import { SqliteDatabase } from '../../shared/adapters/embedded/sqlite/database.js'
import { projectRoot } from '../../shared/runtime/project-root.js'
import { startCatalogOn } from '../support/catalog-command.js'
import { aSkill } from '../support/factories.js'
import { callTool, mcpClient, mcpOverHttp, type Revision, revisions } from '../support/mcp-client.js'
import { runCatalog, runCatalogProcess, runOn } from '../support/run-catalog.js'
import { sampleFolder } from '../support/sample-folder.js'
import { whenServer } from '../support/servers.js'
import { emptyCatalog, runOnServers } from '../support/servers-catalog.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { sharedTestApp, startTestApp } from '../support/test-app.js'
import { silentLog } from '../support/test-log.js'

const command = join(projectRoot(), 'dist/services/standalone/cli/main.js')

/** A client that has started the command, and what the command writes to standard error. */
async function mcpOverStdio(
  env: Record<string, string>,
  revision?: Revision,
): Promise<{ client: Client; errors: () => string }> {
  const client = mcpClient(revision)
  const inherited = { PATH: process.env['PATH'] ?? '' }
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [command, 'mcp'],
    env: { ...inherited, ...env },
    stderr: 'pipe',
  })
  let errors = ''
  transport.stderr?.on('data', (chunk) => {
    errors += chunk
  })
  await client.connect(transport)
  return { client, errors: () => errors }
}

/** A client of the command in this process, which ends with its input. */
async function mcpInProcess(env: Record<string, string>, args: string[] = [], revision?: Revision): Promise<Client> {
  const client = mcpClient(revision)
  const [stdin, stdout] = [new PassThrough(), new PassThrough()]
  const transport: Transport = {
    start: async () => {
      const lines = createInterface(stdout)
      lines.on('line', (line) => transport.onmessage?.(JSON.parse(line)))
      const io = { stdin, stdout, stderr: new PassThrough(), signal: new AbortController().signal }
      void runOn(io, env, ['mcp', ...args]).then(() => transport.onclose?.())
    },
    send: async (message) => void stdin.write(`${JSON.stringify(message)}\n`),
    close: async () => void stdin.end(),
  }
  await client.connect(transport)
  return client
}

/** The rows of every table of the databases in a folder, and the names of its other files. */
function contentsOf(folder: string): Record<string, string[]> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => !/-(?:wal|shm)$/.test(name))
  return Object.fromEntries(names.sort().map((name) => [name, name.endsWith('.db') ? rowsOf(join(folder, name)) : []]))
}

function rowsOf(path: string): string[] {
  const db = new SqliteDatabase(path)
  const tables = db.all<{ name: string }>(
    `SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name`,
  )
  const rows = tables.map(({ name }) => `${name}: ${hash('sha256', JSON.stringify(db.all(`SELECT * FROM "${name}"`)))}`)
  db.close()
  return rows
}

/** A folder with one skill, which is not indexed yet. */
async function folderWithoutIndex(): Promise<string> {
  const folder = temporaryFolder()
  const { catalog, close } = await openEmbedded(folder, { threads: false, log: silentLog() })
  await catalog.put('skills', [aSkill({ owner: 'acme', repo: 'new' })])
  await close()
  for (const name of readdirSync(folder).filter((each) => each.startsWith('search-'))) {
    rmSync(join(folder, name))
  }
  return folder
}

/** The results of each tool and of the resource. */
async function everything(client: Client) {
  const found = await callTool(client, 'search_skills', { q: 'pdf tabel', limit: 3 })
  const listed = await callTool(client, 'list_skills', { topic: ['pdf'], sort: 'stars', limit: 2 })
  const got = await callTool(client, 'get_skill', { id: 'Quillmoor/PDF-table-lifter' })
  const suggested = await callTool(client, 'suggest_skills', { q: 'pdf ta' })
  const stats = await callTool(client, 'catalog_stats')
  const unknown = await callTool(client, 'get_skill', { id: 'quillmoor/pdf-table-liftr' })
  const refused = await callTool(client, 'search_skills', { q: 'pdf', limit: 0 })
  const beyond = await callTool(client, 'search_skills', { q: 'pdf', page: 1_000 })
  const resource = await client.readResource({ uri: 'catalog://skills/quillmoor/pdf-table-lifter' })
  const missing = await client.readResource({ uri: 'catalog://skills/quillmoor/none' }).catch((error) => error.message)
  const former = await callTool(client, 'get_skill', { id: 'Acme/Former' })
  const formerRecord = await client.readResource({ uri: 'catalog://skills/acme/former' })
  const skills = new SkillsClient(client)
  const { skills: whole } = await skills.list()
  const { frontmatter, text } = await skills.read((await skills.get(whole[0]?.uri ?? '')).skill)
  const results = { found, listed, got, suggested, stats, unknown, refused, beyond, former, formerRecord }
  return { ...results, contents: resource.contents, missing, whole, frontmatter, text }
}

const folder = temporaryFolder()
const renamed = aSkill({ owner: 'acme', repo: 'present', formerIds: ['acme/former'] })
const service = sharedTestApp({ sample: true, skills: [renamed], dataDir: folder })

describe('on a local folder', () => {
  test.each(revisions)('answers as /mcp of a service on it does, and changes nothing: %s', async (revision) => {
    const overHttp = await mcpOverHttp(service().url, revision)
    const before = contentsOf(folder)

    const { client, errors } = await mcpOverStdio({ DATA_DIR: folder }, revision)
    const answers = await everything(client)

    expect(answers).toEqual(await everything(overHttp))
    expect((await client.listTools()).tools).toEqual((await overHttp.listTools()).tools)
    await client.close()
    expect(contentsOf(folder)).toEqual(before)
    expect(errors()).toBe('')
  })

  test('sees what another process imports', async () => {
    const folder = await sampleFolder()
    const { client } = await mcpOverStdio({ DATA_DIR: folder })
    expect(await callTool(client, 'get_skill', { id: 'acme/new' })).toMatchObject({ isError: true })

    await runCatalog(folder, ['import', '-', '--type', 'skills', '--format', 'ndjson'], '{"owner":"acme","repo":"new"}')

    expect(await callTool(client, 'get_skill', { id: 'acme/new' })).toMatchObject({ isError: false })
    expect((await callTool(client, 'suggest_skills', { q: 'acme/n' })).text).toContain('- acme/new: ')
  })

  test('of an older format is left as it is, and the command to update it named', async () => {
    const folder = temporaryFolder()
    await runCatalog(folder, ['sync'])
    const db = new SqliteDatabase(join(folder, 'catalog.db'))
    db.exec('PRAGMA user_version = 3')
    db.close()

    const run = await runCatalog(folder, ['mcp'])

    expect(run).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining('npm run catalog -- sync') })
  })

  test('without an index or statistics says so; the rest answers', async () => {
    const client = await mcpInProcess({ DATA_DIR: await folderWithoutIndex() })

    expect(await callTool(client, 'get_skill', { id: 'acme/new' })).toMatchObject({ isError: false })
    expect(await callTool(client, 'search_skills', { q: 'new' })).toMatchObject({ isError: true })
    expect((await callTool(client, 'catalog_stats')).text).toContain('The statistics are being computed')
  })
})

describe('standard output', () => {
  test('has protocol messages only; the log is on standard error', async () => {
    const run = startCatalogOn({ DATA_DIR: await folderWithoutIndex(), LOG_LEVEL: 'trace' }, ['mcp'])
    const clientInfo = { name: 'test', version: '1' }
    const messages = [
      { id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } },
      { id: 2, method: 'tools/call', params: { name: 'search_skills', arguments: { q: 'new' } } },
    ]
    for (const message of messages) {
      run.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
      await run.says(`"id":${message.id}`)
    }
    run.stdin.end()

    const { status, stdout, stderr } = await run.ended

    expect(status).toBe(0)
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toMatchObject([
      { jsonrpc: '2.0', id: 1, result: { serverInfo: { name: 'skill-catalog' } } },
      { jsonrpc: '2.0', id: 2, result: { isError: true } },
    ])
    expect(stderr).toContain('dependency unavailable')
  })

  test('ends with standard input, without a result', async () => {
    const run = await runCatalogProcess(await folderWithoutIndex(), ['mcp'])

    expect(run).toMatchObject({ status: 0, stdout: '', stderr: '' })
  })

  test('has no option for a result', async () => {
    expect(await runCatalog('unused', ['mcp', '--json'])).toMatchObject({ status: 2, stdout: expect.any(String) })
  })
})

whenServer('mongodb', (mongodb) => {
  whenServer('meilisearch', (meilisearch) => {
    whenServer('redis', (redis) => {
      test('on servers, reads the catalog there', async () => {
        const env = await emptyCatalog(mongodb(), meilisearch(), redis())
        await runOnServers(
          env,
          ['import', '-', '--type', 'skills', '--format', 'ndjson'],
          '{"owner":"acme","repo":"new"}',
        )
        const client = await mcpInProcess(env)

        expect((await callTool(client, 'get_skill', { id: 'acme/new' })).text).toContain('- acme/new: new (')
        expect((await callTool(client, 'search_skills', { q: 'new' })).text).toContain('1 found for “new”')
        expect((await callTool(client, 'catalog_stats')).text).toContain('1 skill in 1 repository of 1 organization')
      })
    })
  })
})

describe('on another catalog', () => {
  test.each(revisions)('answers as its /mcp does: %s', async (revision) => {
    const api = service()
    const client = await mcpInProcess({}, ['--url', `${api.url}/`], revision)
    api.logLines.length = 0

    const answers = await everything(client)

    expect(api.logLines.some(({ path }) => path === '/api/v1/skills/search')).toBe(true)
    expect(answers).toEqual(await everything(await mcpOverHttp(api.url, revision)))
  })

  test('that limits its requests passes on when to continue', async () => {
    const api = await startTestApp({ config: { rateLimitPerMinute: 1 } })
    const client = await mcpInProcess({}, ['--url', api.url])
    await callTool(client, 'list_skills')

    const { isError, text } = await callTool(client, 'list_skills')

    expect({ isError, text }).toMatchObject({
      isError: true,
      text: expect.stringMatching(/Wait \d+ s, then continue\.$/),
    })
  })

  test('that does not answer, or is none, is an error of the tool', async () => {
    const away = await mcpInProcess({}, ['--url', 'http://127.0.0.1:1'])
    const other = await mcpInProcess({}, ['--url', `${service().url}/docs`])

    expect(await callTool(away, 'catalog_stats')).toMatchObject({
      isError: true,
      text: expect.stringContaining('http://127.0.0.1:1 does not answer'),
    })
    expect(await callTool(other, 'catalog_stats')).toMatchObject({ isError: true })
  })

  test.each([
    [['mcp', '--url', 'catalog.example'], 'catalog.example'],
    ...[
      ['mcp', '--url', 'https://jane:secret@catalog.example'],
      ['search', 'pdf', '--url', 'https://jane:secret@catalog.example'],
      ['mirror', 'https://jane:secret@catalog.example', 'unused'],
    ].map((words): [string[], string] => [words, 'https://catalog.example']),
  ])('with an invalid address ends with a message: %j', async (words, shown) => {
    const run = await runCatalog('unused', words)

    expect(run).toMatchObject({
      status: 2,
      stdout: '',
      stderr: expect.stringContaining(`${shown} is not the address of a catalog`),
    })
    expect(run.stderr).not.toContain('secret')
  })
})
