import { execFileSync } from 'node:child_process'
import { readdirSync, readlinkSync } from 'node:fs'
import { open, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { recordsPerPut } from '../../shared/adapters/embedded/sqlite/catalog/catalog.js'
import { fileOf, line, skillIds } from '../support/import-input.js'
import { runCatalog, startCatalog, withStoresOf } from '../support/run-catalog.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { until } from '../support/until.js'

describe('import next to other processes', () => {
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
      'Another process changes records of this catalog, by an import or by hide, unhide, remove or rename. ' +
        'Wait for it to end, then try again. ' +
        'If its process was killed, this takes 30 seconds at most.',
    )
  })

  test('waits for the sync of another process', async () => {
    const folder = temporaryFolder()

    const run = await withStoresOf(folder, async ({ catalog }) => {
      const lock = await catalog.lock('sync-index')
      const command = startCatalog(folder, ['import', fileOf('a.ndjson', line('a')), '--type', 'skills', '--json'])
      await until(async () => (await catalog.listIds('skills', null, 1)).length === 1)
      await lock?.release()
      return command.ended
    })

    expect([run.status, run.json['sync']]).toEqual([0, expect.objectContaining({ published: 1 })])
  })
})

describe('an interrupted import', () => {
  const many = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => line(`s${from + index}`)).join('')

  test('ends with 2 on Ctrl-C, also while it waits for input', async () => {
    const folder = temporaryFolder()
    const command = startCatalog(folder, ['import', '-', '--type', 'skills', '--json'])
    command.stdin.write(many(0, recordsPerPut))
    await withStoresOf(folder, ({ catalog }) =>
      until(async () => (await catalog.listIds('skills', null, 1)).length === 1),
    )

    command.signal('SIGINT')
    const { status, stderr, json } = await command.ended

    expect([status, json['error']]).toEqual([2, expect.objectContaining({ code: 'stopped' })])
    expect(stderr).toBe('Stopped. Completed work is kept; run the command again to continue.\n')
    expect((await skillIds(folder)).length % 1_000).toBe(0)
  })

  test.each([
    ['a pipe without a writer', false, []],
    ['a pipe whose writer is silent', true, []],
    ['a pipe that is copied for --replace', true, ['--replace']],
  ])('ends soon after SIGTERM while it reads %s, and another can start', async (_pipe, written, options) => {
    const folder = temporaryFolder()
    const pipe = join(temporaryFolder(), 'pipe')
    execFileSync('mkfifo', [pipe])
    const command = startCatalog(folder, ['import', pipe, '--type', 'skills', ...options])
    await until(() => openFiles(command.pid).includes(pipe))
    const writer = written ? await open(pipe, 'w') : null
    await writer?.write(line('a'))

    const signalledAt = performance.now()
    command.signal('SIGTERM')
    const { status, stderr } = await command.ended
    const tookMs = performance.now() - signalledAt
    await writer?.close()
    const next = await runCatalog(folder, ['import', fileOf('a.ndjson', line('b')), '--type', 'skills'])

    expect([status, stderr]).toEqual([2, 'Stopped. Completed work is kept; run the command again to continue.\n'])
    expect(tookMs).toBeLessThan(10_000)
    expect(next.status).toBe(0)
  })

  test('reads a pipe until its writer closes it', async () => {
    const folder = temporaryFolder()
    const pipe = join(temporaryFolder(), 'pipe')
    execFileSync('mkfifo', [pipe])
    const command = startCatalog(folder, ['import', pipe, '--type', 'skills', '--no-update', '--json'])

    await writeFile(pipe, many(0, 2_500))

    expect((await command.ended).json).toMatchObject({ status: 0, read: 2_500, added: 2_500 })
  })
})

/** The open files of a process (Linux). */
function openFiles(pid: number): string[] {
  const folder = `/proc/${pid}/fd`
  return readdirSync(folder).map((descriptor) => {
    try {
      return readlinkSync(join(folder, descriptor))
    } catch {
      // Closed in the meantime.
      return ''
    }
  })
}
