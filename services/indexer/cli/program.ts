import { Command, CommanderError } from 'commander'
import { AppError } from '../../../shared/errors.js'
import type { CommandLine, ExitStatus } from './command-line.js'
import { exportFiles } from './export.js'
import { importCommand } from './import.js'
import { jobs } from './jobs.js'
import { printable } from './printable.js'
import { rebuild } from './rebuild.js'
import { seed } from './seed.js'
import { stats } from './stats.js'
import { sync } from './sync.js'
import { verify } from './verify.js'

/** Every command, in the order in which help shows them. */
const commands = [importCommand, sync, rebuild, stats, exportFiles, verify, jobs, seed]

const notes = `
Exit status: 0 done; 1 done, with rejected records or differences; 2 not done.
DATA_DIR names the data folder (default: ./data). A service may be running on it meanwhile.
`

/**
 * Does what the arguments ask for. Whatever goes wrong is told on standard error.
 *
 * @param args without the names of program and script
 */
export async function runProgram(args: string[], cli: CommandLine): Promise<ExitStatus> {
  let status: ExitStatus = 0
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
  for (const command of commands) {
    command.addTo(program, cli, (ended) => {
      status = ended
    })
  }
  try {
    await program.parseAsync(args, { from: 'user' })
    return status
  } catch (error) {
    return tellFailure(error, args, cli)
  }
}

function tellFailure(error: unknown, args: string[], cli: CommandLine): ExitStatus {
  if (error instanceof CommanderError) {
    // commander has told it already; help that was asked for is no failure.
    return error.exitCode === 0 ? 0 : fail(args, cli, 'bad_arguments', error.message)
  }
  if (error instanceof AppError) {
    cli.stderr.write(`${printable(error.message)}\n`)
    return fail(args, cli, error.code, error.message)
  }
  const what = error instanceof Error ? (error.stack ?? error.message) : String(error)
  cli.stderr.write(`Something unexpected went wrong: ${printable(what)}\n`)
  return fail(args, cli, 'unexpected', 'Something unexpected went wrong.')
}

/** Machines are told on standard output, where they look for an answer. */
function fail(args: string[], cli: CommandLine, code: string, message: string): ExitStatus {
  if (args.includes('--json')) {
    cli.stdout.write(`${JSON.stringify({ command: args[0], status: 2, error: { code, message } })}\n`)
  }
  return 2
}
