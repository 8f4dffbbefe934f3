import { Command, CommanderError } from 'commander'
import { AppError, operatorMessage } from '../../../shared/runtime/errors.js'
import { projectVersion } from '../../../shared/runtime/project-root.js'
import { printable } from '../../../shared/text/clean-text.js'
import { type CommandLine, type ExitStatus, reportProblem } from './command-line.js'
import { backup, restore } from './commands/backup.js'
import { completion } from './commands/completion.js'
import { doctor } from './commands/doctor.js'
import { get } from './commands/get.js'
import { importCommand } from './commands/import.js'
import { jobs } from './commands/jobs.js'
import { mirror } from './commands/mirror.js'
import { hide, remove, rename, unhide } from './commands/moderate.js'
import { resolve } from './commands/resolve.js'
import { dataset, exportFiles, rebuild, stats, sync, verify } from './commands/run-jobs.js'
import { search } from './commands/search.js'
import { seed } from './commands/seed.js'
import { status as statusCommand } from './commands/status.js'
import { type DefinedCommand, fullName, styleHelp } from './define-command.js'
import { screenOf } from './output/screen.js'

/** Commands, as the help groups them, by the heading of their group. */
export type CommandGroups = Record<string, DefinedCommand[]>

/** The commands of the indexer. */
export const commandGroups = {
  'Skills:': [search, get, resolve],
  'Records:': [importCommand, hide, unhide, remove, rename, seed, mirror],
  'What is made from them:': [sync, rebuild, stats, exportFiles, dataset, verify],
  'Operation:': [statusCommand, doctor, backup, restore, jobs],
  'This command line:': [completion],
} satisfies CommandGroups

const notes = `
Exit status: 0 done; 1 done, but some records were rejected or differ; 2 not done.
DATA_DIR names the data folder (default: ./data). With MONGODB_URL instead, and MEILI_URL, MEILI_KEY and REDIS_URL, the \
catalog is on servers: the indexer runs sync, rebuild, stats, export, dataset and verify, unless --local is given.
Commands can be used while the services are running.
`

/**
 * Parses the arguments and runs a command. Errors are printed to standard error.
 *
 * @param args without the names of program and script
 * @param groups every command, in the order of the help
 */
export async function runProgram(args: string[], cli: CommandLine, groups: CommandGroups): Promise<ExitStatus> {
  let status: ExitStatus = 0
  let commandName = args[0]
  const program = styleHelp(new Command('catalog'), cli)
    .usage('<command> [options]')
    .description(
      'Skill Catalog: search for skills, import records, keep the search index and the export files in step, and see how that goes.',
    )
    .addHelpText('after', ({ error }) => screenOf(error ? cli.stderr : cli.stdout).wrap(notes))
    .version(projectVersion(), '--version', 'print the version of the catalog')
    .showHelpAfterError('(--help shows the usage)')
    .exitOverride()
    .hook('preAction', (_program, command) => {
      commandName = fullName(command)
    })
  for (const [heading, commands] of Object.entries(groups)) {
    program.commandsGroup(heading)
    for (const command of commands) {
      command.addTo(program, cli, (exitStatus) => {
        status = exitStatus
      })
    }
  }
  program.helpCommand(true)
  try {
    await program.parseAsync(args, { from: 'user' })
    return status
  } catch (error) {
    const { code, message } = reportError(error, cli)
    if (code !== null && args.includes('--json')) {
      cli.stdout.write(`${JSON.stringify({ command: commandName, status: 2, error: { code, message } })}\n`)
    }
    return code === null ? 0 : 2
  }
}

/** @returns the error for --json; a code of null: commander has printed the help that was asked for */
function reportError(error: unknown, cli: CommandLine): { code: string | null; message: string } {
  if (error instanceof CommanderError) {
    // commander has printed its message already.
    return { code: error.exitCode === 0 ? null : 'bad_arguments', message: error.message }
  }
  if (error instanceof AppError) {
    reportProblem(cli.stderr, operatorMessage(error))
    return error
  }
  const description = error instanceof Error ? (error.stack ?? error.message) : String(error)
  cli.stderr.write(`Unexpected error: ${printable(description)}\n`)
  return { code: 'unexpected', message: 'Unexpected error.' }
}
