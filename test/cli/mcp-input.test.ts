import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { projectRoot } from '../../shared/runtime/project-root.js'
import { runCatalog, runCatalogProcess } from '../support/run-catalog.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { sharedTestApp } from '../support/test-app.js'

describe('a file of requests', () => {
  const initialize = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  })
  const initialized = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })
  const call = (id: number | string, name: string, given: object) =>
    JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: given } })
  const calls = [
    ...Array.from({ length: 40 }, (_, place) => call(place + 2, 'search_skills', { q: `pdf ${place}` })),
    call('s', 'catalog_stats', {}),
    call(7, 'get_skill', { id: 'quillmoor/pdf-table-lifter' }),
  ]

  const folder = temporaryFolder()
  const api = sharedTestApp({ sample: true, dataDir: folder })

  /** The ids of the answers, and the exit status, of the command over this input. */
  async function answersTo(
    lines: string[],
    { args = [], end = '\n', run = runCatalog }: { args?: string[]; end?: string; run?: typeof runCatalogProcess } = {},
  ) {
    const { status, stdout, stderr } = await run(folder, ['mcp', ...args], lines.join('\n') + end)
    const ids = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).id)
    return { status, stderr, ids: ids.map(String).sort() }
  }

  const expected = ['1', ...Array.from({ length: 40 }, (_, place) => String(place + 2)), 's', '7'].sort()

  test.each([
    ['with the end of its last line, and its process', '\n', runCatalogProcess],
    ['without that end', '', runCatalog],
  ])('is answered whole before the command ends, %s', async (_, end, run) => {
    expect(await answersTo([initialize, initialized, ...calls], { end, run })).toEqual({
      status: 0,
      stderr: '',
      ids: expected,
    })
  })

  test('of another catalog as well', async () => {
    const { status, ids } = await answersTo([initialize, initialized, ...calls], { args: ['--url', api().url] })

    expect({ status, ids }).toEqual({ status: 0, ids: expected })
  })

  test('with a batch, or JSON that is no message, is answered without an id there', async () => {
    const batch = `[${call(2, 'catalog_stats', {})}]`

    const lines = [initialize, initialized, batch, '{"id": 3}', '', call(4, 'x', {})]
    const { status, ids } = await answersTo(lines)

    expect({ status, ids }).toEqual({ status: 0, ids: ['1', '4', 'null', 'null'] })
  })

  test('with a line that is no JSON says so', async () => {
    const { stdout } = await runCatalog(folder, ['mcp'], `${initialize}\n{"jsonrpc": "2.0", "id": 2,\n`)

    expect(stdout).toContain('"error":{"code":-32700,"message":"The line is no JSON: send each message')
  })

  test('with a byte order mark and line ends of Windows is answered', async () => {
    const lines = [`\ufeff${initialize}`, initialized, call(2, 'catalog_stats', {})].map((line) => `${line}\r`)

    expect(await answersTo(lines)).toMatchObject({ status: 0, ids: ['1', '2'] })
  })

  test('with a cancelled request does not wait for it', async () => {
    const cancelled = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } })

    const lines = [initialize, initialized, call(2, 'catalog_stats', {}), cancelled]
    const { status, ids } = await answersTo(lines)

    expect(status).toBe(0)
    expect(ids).toContain('1')
  })
})

test('--version is that of the package', async () => {
  const { version } = JSON.parse(readFileSync(join(projectRoot(), 'package.json'), 'utf8'))

  expect(await runCatalog(temporaryFolder(), ['--version'])).toMatchObject({ status: 0, stdout: `${version}\n` })
})
