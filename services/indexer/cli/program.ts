import { Command, CommanderError } from 'commander'
import { AppError } from '../../../shared/errors.js'
import { printable } from '../../../shared/text/printable.js'
import type { CommandLine, ExitStatus } from './command-line.js'
import { fullName } from './define-command.js'
import { exportFiles } from './export.js'
import { importCommand } from './import.js'
import { jobs } from './jobs.js'
import { mirror } from './mirror.js'
import { rebuild } from './rebuild.js'
import { seed } from './seed.js'
import { stats } from './stats.js'
import { sync } from './sync.js'
import { verify } from './verify.js'

/** Every command, in the order in which help shows them. */
const commands = [importCommand, sync, rebuild, stats, exportFiles, verify, jobs, seed, mirror]

const notes = `
Exit status: 0 done; 1 done, but with something rejected, left out or different; 2 not done.
DATA_DIR names the data folder (default: ./data); where MONGODB_URL is set instead, with MEILI_URL, MEILI_KEY and
REDIS_URL, the catalog is on servers, and sync, rebuild, stats, export and verify are done by the indexer, unless
--local is given. Services may be running meanwhile.
`

/**
 * Does what the arguments ask for. Whatever goes wrong is told on standard error.
 *
 * @param args without the names of program and script
 */
export async function runProgram(args: string[], cli: CommandLine): Promise<ExitStatus> {
  let status: ExitStatus = 0
  let asked = args[0]
  const program = new Command('catalog')
    .usage('<command> [options]')
    .description('Skill Catalog: take records in, bring what is made from them up to date, and check it.')
    .addHelpText('after', notes)
    .configureOutput({
      writeOut: (text) => cli.stdout.write(text),
      writeErr: (text) => cli.stderr.write(printable(text)),
    })
    .showHelpAfterError('(--help shows how it is called)')
    .exitOverride()
    .hook('preAction', (_program, command) => {
      asked = fullName(command)
    })
  for (const command of commands) {
    command.addTo(program, cli, (ended) => {
      status = ended
    })
  }
  try {
    await program.parseAsync(args, { from: 'user' })
    return status
  } catch (error) {
    const { code, message } = tellFailure(error, cli)
    if (code !== null && args.includes('--json')) {
      // Machines are told on standard output, where they look for an answer.
      cli.stdout.write(`${JSON.stringify({ command: asked, status: 2, error: { code, message } })}\n`)
    }
    return code === null ? 0 : 2
  }
}

/** @returns what machines are told as well; a code of null: nothing has failed */
function tellFailure(error: unknown, cli: CommandLine): { code: string | null; message: string } {
  if (error instanceof CommanderError) {
    // commander has told it already; help that was asked for is no failure.
    return { code: error.exitCode === 0 ? null : 'bad_arguments', message: error.message }
  }
  if (error instanceof AppError) {
    cli.stderr.write(`${printable(error.message)}\n`)
    return error
  }
  const what = error instanceof Error ? (error.stack ?? error.message) : String(error)
  cli.stderr.write(`Something unexpected went wrong: ${printable(what)}\n`)
  return { code: 'unexpected', message: 'Something unexpected went wrong.' }
}
