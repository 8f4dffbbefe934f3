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
    // commander has told it; its own status for help that was asked for is 0.
    return error.exitCode === 0 ? 0 : 2
  }
  const known = error instanceof AppError
  const message = known
    ? error.message
    : `Something unexpected went wrong: ${error instanceof Error ? error.stack : error}`
  cli.stderr.write(`${printable(message)}\n`)
  if (args.includes('--json')) {
    const told = { code: known ? error.code : 'unexpected', message: known ? error.message : 'unexpected' }
    cli.stdout.write(`${JSON.stringify({ command: args[0], status: 2, error: told })}\n`)
  }
  return 2
}
