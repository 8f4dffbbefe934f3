import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from '@jest/globals'
import { SqliteDatabase } from '../../shared/adapters/embedded/sqlite/database.js'
import { projectRoot } from '../../shared/runtime/project-root.js'
import { startCatalogOn } from '../support/catalog-command.js'
import { runCatalog, runCatalogProcess, runInProcess, withStoresOf } from '../support/run-catalog.js'
import { temporaryFolder } from '../support/temporary-folder.js'

const commands = [
  'search',
  'get',
  'import',
  'seed',
  'mirror',
  'sync',
  'rebuild',
  'stats',
  'export',
  'dataset',
  'verify',
  'status',
  'doctor',
  'jobs',
  'completion',
]

describe('help', () => {
  test('lists every command and the exit statuses', async () => {
    const { status, stdout } = await runCatalogProcess(temporaryFolder(), ['--help'])

    expect(status).toBe(0)
    for (const command of commands) {
      expect(stdout).toMatch(new RegExp(`^  ${command} `, 'm'))
    }
    expect(stdout).toContain('Exit status: 0 done; 1 done, but some records were rejected or differ; 2 not done.')
  })

  test('loads nothing of the query service, which would double the time of every command', async () => {
    const coverage = temporaryFolder()

    await startCatalogOn({ NODE_V8_COVERAGE: coverage }, ['--help']).ended

    const loaded = readdirSync(coverage).map((name) => readFileSync(join(coverage, name), 'utf8'))
    expect(loaded.join()).toContain('/dist/services/indexer/cli/program.js')
    expect(loaded.join()).not.toContain('/dist/services/query/')
  })

  test('is printed through npm as well', async () => {
    const help = await promisify(execFile)('npm', ['run', '--silent', 'catalog', '--', 'import', '--help'], {
      cwd: projectRoot(),
    })

    expect(help.stdout).toMatch(/^Usage: catalog import /)
  })

  const ofJobs = ['jobs run', 'jobs retry', 'jobs dead-letters', 'jobs pause', 'jobs resume']
  test.each([...commands, ...ofJobs])('of %s has examples, and opens nothing', async (command) => {
    const folder = join(temporaryFolder(), 'data')

    const { status, stdout } = await runCatalog(folder, [...command.split(' '), '--help'])

    expect(status).toBe(0)
    expect(stdout).toMatch(new RegExp(`^Usage: catalog ${command}\\b`))
    expect(stdout).toMatch(new RegExp(`^ {2}npm run catalog -- ${command}\\b`, 'm'))
    expect(stdout).toContain('--json')
    expect(existsSync(folder)).toBe(false)
  })
})

describe('invalid arguments end with status 2 and a message', () => {
  test.each([
    [[], 'Usage: catalog'],
    [['improt'], "unknown command 'improt'"],
    [['improt'], '(Did you mean import?)'],
    [['sync', '--fast'], "unknown option '--fast'"],
    [['sync', '--jsn'], '(Did you mean --json?)'],
    [['completion', 'tcsh'], 'Allowed choices are bash, zsh, fish.'],
    [['sync', 'now'], 'too many arguments'],
    [['import', '--type', 'skills'], "missing required argument 'source'"],
    [['import', 'a.csv'], '--type is missing: give one of skills, prompts, organizations.'],
    [['import', 'a.csv', '--type', 'tools'], 'Allowed choices are skills, prompts, organizations.'],
    [['import', 'a.csv', '--type', 'skills', '--format', 'xml'], 'Allowed choices are ndjson, json, csv, skill-md.'],
    [
      ['import', '-', '--type', 'skills', '--allow-removing', '5'],
      '--allow-removing requires --replace: give both or none.\n',
    ],
    [['import', '-', '--type', 'skills', '--allow-removing', 'all', '--replace'], 'It must be a whole number'],
    [['jobs', 'resum'], "unknown command 'resum'\n(Did you mean resume?)"],
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

  test('with --json on standard output as well', async () => {
    const { status, json } = await runCatalog(temporaryFolder(), ['sync', '--fast', '--json'])

    expect(status).toBe(2)
    expect(json).toEqual({
      command: 'sync',
      status: 2,
      error: { code: 'bad_arguments', message: expect.stringContaining('--fast') },
    })
  })
})

describe('invalid configuration ends with status 2 and the reason', () => {
  const execute = (path: string, statement: string) => {
    const db = new SqliteDatabase(path)
    db.exec(statement)
    db.close()
  }
  test.each<[what: string, code: string, said: string, spoil: (path: string) => unknown]>([
    [
      'a newer version',
      'data_folder_newer',
      'newer',
      async (path) => {
        await withStoresOf(dirname(path), async () => undefined)
        execute(path, 'PRAGMA user_version = 999')
      },
    ],
    [
      'another application',
      'data_folder_foreign',
      'is a database of another program',
      (path) => execute(path, 'CREATE TABLE skills (x)'),
    ],
    [
      'another application that counts its formats',
      'data_folder_foreign',
      'has not the tables of its format',
      (path) => execute(path, 'CREATE TABLE skills (x); PRAGMA user_version = 5'),
    ],
    ['no database', 'database_damaged', 'backup', (path) => writeFileSync(path, 'no database at all\n'.repeat(300))],
  ])('a data folder of %s, which is not changed', async (_, code, said, spoil) => {
    const folder = temporaryFolder()
    const path = join(folder, 'catalog.db')
    await spoil(path)
    const before = readFileSync(path)

    const { status, stderr, json } = await runCatalog(folder, ['sync', '--json'])

    expect([status, json]).toMatchObject([2, { error: { code } }])
    expect(stderr).toContain(said)
    expect(readFileSync(path).equals(before)).toBe(true)
  })

  test('a data folder that cannot be created', async () => {
    const { status, stderr } = await runCatalog('/dev/null/data', ['seed', '--skills', '1'])

    expect(status).toBe(2)
    expect(stderr).toContain('set DATA_DIR to another one')
  })

  test('an invalid setting, which does not keep the help and the completion from being printed', async () => {
    const env = { LOG_LEVEL: 'loud' }

    expect(await runInProcess(env, ['sync'], '')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('LOG_LEVEL'),
    })
    expect(await runInProcess(env, ['sync', '--help'], '')).toMatchObject({ status: 0, stderr: '' })
    expect(await runInProcess(env, ['completion', 'bash'], '')).toMatchObject({ status: 0, stderr: '' })
  })
})
