import { stripVTControlCharacters } from 'node:util'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { aSkill } from '../support/factories.js'
import { whenProgram } from '../support/programs.js'
import { runCatalog, runInProcess, withStoresOf } from '../support/run-catalog.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { onTerminal } from '../support/terminal.js'
import { startTestApp } from '../support/test-app.js'

/** The beginning of a control sequence. */
const csi = '\u001b['

/**
 * What a command shows on a terminal of this width, whether the test runs on one or not.
 *
 * @param env with a `NO_COLOR` that is empty: it is not set
 */
async function shownOn(columns: number, args: string, env: Record<string, string> = {}): Promise<string> {
  // Node uses no colours where CI is set.
  const unset = `unset CI ${env['NO_COLOR'] === '' ? 'NO_COLOR' : ''}; `
  const command = `stty cols ${columns} rows 50; ${unset}exec node dist/services/standalone/cli/main.js ${args}`
  const terminal = onTerminal(command, { TERM: 'xterm', ...env })
  await terminal.ended
  return terminal.text().replaceAll('\r\n', '\n')
}

/** The lines that are wider than the terminal, except examples: these are copied whole. */
const overflow = (text: string, columns: number): string[] =>
  text.split('\n').filter((line) => line.length > columns && !line.startsWith('  npm run catalog'))

/** A data folder with one skill, which is only read. */
const DATA_DIR = temporaryFolder()

beforeAll(async () => {
  await withStoresOf(DATA_DIR, ({ catalog }) => catalog.put('skills', [aSkill({ repo: 'a' })]))
  await runCatalog(DATA_DIR, ['sync'])
  await runCatalog(DATA_DIR, ['stats'])
})

whenProgram('script', ['--version'], () => {
  // First, while the runs are less than a minute old.
  test('times are relative to now, and the text of a table is wrapped in its column', async () => {
    const shown = await shownOn(90, 'jobs', { DATA_DIR })

    expect(shown).toMatch(/^compute-stats +5 min +(now|\d+ s ago) +succeeded: 1 skill, 1/m)
    expect(shown).toMatch(/\n {38,}repository, 0 prompts, 1/)
  })

  test('help, tables and errors are coloured on a terminal only, or as NO_COLOR and FORCE_COLOR say', async () => {
    const colored = { DATA_DIR, NO_COLOR: '' }

    expect(await shownOn(90, '--help', colored)).toContain(`${csi}1mUsage:`)
    expect(await shownOn(90, 'jobs', colored)).toContain(`${csi}1mjob `)
    expect(await shownOn(90, 'syncc', colored)).toContain(`${csi}31merror: unknown command`)
    expect(await shownOn(90, 'jobs', { ...colored, NO_COLOR: '1' })).not.toContain(csi)
    expect(await shownOn(90, 'jobs | cat', colored)).not.toContain(csi)
    expect(await shownOn(90, 'jobs | cat', { ...colored, FORCE_COLOR: '1' })).toContain(`${csi}1mjob `)
  })

  test('a search marks its matches, and wraps descriptions', async () => {
    const { url } = await startTestApp({ sample: true })

    const shown = await shownOn(80, `search pdf table --limit 1 --url ${url}`, { NO_COLOR: '' })

    expect(shown).toContain(`${csi}1mPDF${csi}22m`)
    expect(shown).toMatch(/\n {5}Extracts .*\n {5}\S/)
  })

  test('status --watch clears the screen for each view, and Ctrl-C ends it with 0', async () => {
    const terminal = onTerminal(
      'stty cols 100; exec node dist/services/standalone/cli/main.js status --watch --every 1',
      { DATA_DIR },
    )

    await terminal.shows(`${csi}H${csi}J`)
    await terminal.shows('search index  up to date')
    await terminal.ctrlC()

    expect(await terminal.ended).toBe(0)
  })
})

describe.each([70, 110])('in %d columns', (columns) => {
  test.each(['--help', 'search --help', 'jobs', 'status', 'doctor', 'jobs pause nothing'])(
    '%s is not wider than the terminal',
    async (args) => {
      const { stdout, stderr } = await runInProcess({ DATA_DIR }, args.split(' '), '', { columns })
      const shown = stripVTControlCharacters(stdout + stderr)

      expect(overflow(shown, columns)).toEqual([])
      expect(shown.length).toBeGreaterThan(columns)
    },
  )
})
