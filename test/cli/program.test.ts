import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from '@jest/globals'
import { SqliteDatabase } from '../../shared/adapters/embedded/sqlite-database.js'
import { projectRoot } from '../../shared/project-root.js'
import { runCatalog, startCatalog, withStoresOf } from '../support/run-catalog.js'
import { temporaryFolder } from '../support/temporary-folder.js'

const commands = ['import', 'sync', 'rebuild', 'stats', 'export', 'verify', 'jobs', 'seed', 'mirror']

describe('help', () => {
  test('names every command and what the status means', async () => {
    const { status, stdout } = await runCatalog(temporaryFolder(), ['--help'])

    expect(status).toBe(0)
    for (const command of commands) {
      expect(stdout).toMatch(new RegExp(`^  ${command} `, 'm'))
    }
    expect(stdout).toContain(
      'Exit status: 0 done; 1 done, but with something rejected, left out or different; 2 not done.',
    )
  })

  test('comes by npm as well', async () => {
    const help = await promisify(execFile)('npm', ['run', '--silent', 'catalog', '--', 'import', '--help'], {
      cwd: projectRoot(),
    })

    expect(help.stdout).toMatch(/^Usage: catalog import /)
  })

  test.each(commands)('of %s has examples to copy, and opens nothing', async (command) => {
    const folder = join(temporaryFolder(), 'data')

    const { status, stdout } = await runCatalog(folder, [command, '--help'])

    expect(status).toBe(0)
    expect(stdout).toMatch(new RegExp(`^ {2}npm run catalog -- ${command}\\b`, 'm'))
    expect(stdout).toContain('--json')
    expect(existsSync(folder)).toBe(false)
  })

  test.each(['retry', 'dead-letters', 'pause', 'resume'])('of jobs %s has examples too', async (command) => {
    const { status, stdout } = await runCatalog(join(temporaryFolder(), 'data'), ['jobs', command, '--help'])

    expect(status).toBe(0)
    expect(stdout).toMatch(new RegExp(`^Usage: catalog jobs ${command}\\b`))
    expect(stdout).toMatch(new RegExp(`^ {2}npm run catalog -- jobs ${command}\\b`, 'm'))
  })
})

describe('what is not understood ends with status 2 and says so', () => {
  test.each([
    [[], 'Usage: catalog'],
    [['improt'], "unknown command 'improt'"],
    [['sync', '--fast'], "unknown option '--fast'"],
    [['sync', 'now'], 'too many arguments'],
    [['import', '--type', 'skills'], "missing required argument 'source'"],
    [['import', 'a.csv'], "required option '--type <type>' not specified"],
    [['import', 'a.csv', '--type', 'tools'], 'Allowed choices are skills, prompts, organizations.'],
    [['import', 'a.csv', '--type', 'skills', '--format', 'xml'], 'Allowed choices are ndjson, json, csv, skill-md.'],
    [['jobs', 'delete'], 'too many arguments'],
    [['jobs', 'dead-letters', '--limit', '0'], 'It must be a whole number from 1'],
    [['seed'], "required option '--skills <count>' not specified"],
    [['seed', '--skills', '-5'], 'It must be a whole number'],
  ])('%j', async (args, message) => {
    const folder = join(temporaryFolder(), 'data')

    const { status, stdout, stderr } = await runCatalog(folder, args)

    expect([status, stdout]).toEqual([2, ''])
    expect(stderr).toContain(message)
    expect(existsSync(folder)).toBe(false)
  })

  test('for machines on standard output as well', async () => {
    const { status, json } = await runCatalog(temporaryFolder(), ['sync', '--fast', '--json'])

    expect(status).toBe(2)
    expect(json).toEqual({
      command: 'sync',
      status: 2,
      error: { code: 'bad_arguments', message: expect.stringContaining('--fast') },
    })
  })
})

describe('a data folder that cannot be used ends with status 2 and says why', () => {
  test('one of a newer version', async () => {
    const folder = temporaryFolder()
    await withStoresOf(folder, async () => undefined)
    const db = new SqliteDatabase(join(folder, 'catalog.db'))
    db.exec('PRAGMA user_version = 999')
    db.close()

    const { status, stderr, json } = await runCatalog(folder, ['sync', '--json'])

    expect(status).toBe(2)
    expect(stderr).toContain('newer')
    expect(json).toMatchObject({ error: { code: 'data_folder_newer' } })
  })

  test('one that is no folder', async () => {
    const { status, stderr } = await runCatalog('/dev/null/data', ['stats'])

    expect(status).toBe(2)
    expect(stderr).toContain('set DATA_DIR to another one')
  })

  test('a setting that is none', async () => {
    const command = startCatalog(temporaryFolder(), ['sync'], { env: { ...process.env, LOG_LEVEL: 'loud' } })

    const { status, stderr } = await command.ended

    expect(status).toBe(2)
    expect(stderr).toContain('LOG_LEVEL')
  })
})
