import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from '@jest/globals'
import { whenProgram } from '../support/programs.js'
import { runCatalog } from '../support/run-catalog.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { onTerminal } from '../support/terminal.js'

const run = promisify(execFile)

/** A file with the completion script of a shell. */
async function scriptFor(shell: string): Promise<string> {
  const { status, stdout } = await runCatalog(join(temporaryFolder(), 'none'), ['completion', shell])
  expect(status).toBe(0)
  const file = join(temporaryFolder(), `catalog.${shell}`)
  writeFileSync(file, stdout)
  return file
}

/** What a person types before Tab, and the arguments that the command then gets. */
const completedLines = [
  ['catalog compl', 'completion'],
  ['catalog jobs dead-l', 'jobs dead-letters'],
  ['catalog jobs pause write-e', 'jobs pause write-exports'],
  ['catalog import --type organ', 'import --type organizations'],
  ['catalog import --dry', 'import --dry-run'],
  ['catalog help mirr', 'help mirror'],
]

/** Types lines in an interactive shell; Tab completes those of `lines`. Returns what the terminal shows. */
async function typeIn(shell: string, setUp: string[], lines: string[]): Promise<string> {
  const terminal = onTerminal(shell, { TERM: 'dumb', HOME: temporaryFolder() })
  const typed = [...setUp, 'catalog() { echo "<$*>"; }', ...lines.map((line) => `${line}\t`)]
  for (const [index, line] of typed.entries()) {
    // The text that is awaited is not the one that is typed.
    terminal.types(`${line}\necho ended-$((${index}))\n`)
    await terminal.shows(`ended-${index}`)
  }
  return terminal.text()
}

const argumentsIn = (shown: string): string[] =>
  [...shown.matchAll(/^<(.*)>\r?$/gm)].map(([, words = '']) => words.trim())

whenProgram('script', ['--version'], () => {
  whenProgram('bash', ['--version'], () => {
    test('bash completes commands, options and values', async () => {
      const file = await scriptFor('bash')
      // Where the text is free there is nothing to complete.
      const ofBash = [
        ['catalog import --type=p', 'import --type=prompts'],
        ['catalog seed --skills ', 'seed --skills'],
      ]
      const lines = [...completedLines, ...ofBash]

      const shown = await typeIn(
        'bash --norc --noprofile -i',
        [`source ${file}`],
        lines.map(([typed = '']) => typed),
      )

      expect(argumentsIn(shown)).toEqual(lines.map(([, words]) => words))
    })
  })

  whenProgram('zsh', ['--version'], () => {
    test('zsh completes commands, options and values', async () => {
      const file = await scriptFor('zsh')

      const shown = await typeIn(
        'zsh -f -i',
        ['autoload -U compinit', 'compinit -u -D', `source ${file}`],
        completedLines.map(([typed = '']) => typed),
      )

      expect(argumentsIn(shown)).toEqual(completedLines.map(([, words]) => words))
    })
  })
})

whenProgram('fish', ['--version'], () => {
  test.each([
    ['catalog compl', ['completion']],
    ['catalog jobs dead-l', ['dead-letters']],
    ['catalog jobs pause write-e', ['write-exports']],
    ['catalog import --type ', ['organizations', 'prompts', 'skills']],
    ['catalog import --dry', ['--dry-run']],
    ['catalog help mirr', ['mirror']],
  ])('fish completes %s', async (typed, words) => {
    const file = await scriptFor('fish')

    const { stdout } = await run('fish', ['--no-config', '-c', `source ${file}; complete -C '${typed}'`], {
      env: { ...process.env, HOME: temporaryFolder() },
    })

    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => line.split('\t')[0])
        .sort(),
    ).toEqual(words)
  })
})
