import { Command, CommanderError } from 'commander'
import { misspelledSettings, misspelledText } from '../../../shared/runtime/env.js'
import { AppError, operatorMessage } from '../../../shared/runtime/errors.js'
import { projectVersion } from '../../../shared/runtime/project-root.js'
import { printable } from '../../../shared/text/clean-text.js'
import { type CommandIo, type ExitStatus, openCommandLine, reportProblem } from './command-line.js'
import { type DefinedCommand, fullName, styleHelp } from './define-command.js'
import { screenOf } from './output/screen.js'

/** How to load each command by its name, as the help groups them, by the heading of their group. */
export type CommandGroups = Record<string, Record<string, () => Promise<DefinedCommand>>>

/** The commands of the indexer. */
export const commandGroups = {
  'Skills:': {
    search: async () => (await import('./commands/find-skills.js')).search,
    get: async () => (await import('./commands/find-skills.js')).get,
    resolve: async () => (await import('./commands/resolve.js')).resolve,
  },
  'Records:': {
    import: async () => (await import('./commands/import.js')).importCommand,
    hide: async () => (await import('./commands/moderate.js')).hide,
    unhide: async () => (await import('./commands/moderate.js')).unhide,
    remove: async () => (await import('./commands/moderate.js')).remove,
    rename: async () => (await import('./commands/moderate.js')).rename,
    seed: async () => (await import('./commands/seed.js')).seed,
    mirror: async () => (await import('./commands/mirror.js')).mirror,
  },
  'What is made from them:': {
    sync: async () => (await import('./commands/run-jobs.js')).sync,
    rebuild: async () => (await import('./commands/run-jobs.js')).rebuild,
    stats: async () => (await import('./commands/run-jobs.js')).stats,
    export: async () => (await import('./commands/run-jobs.js')).exportFiles,
    dataset: async () => (await import('./commands/run-jobs.js')).dataset,
    verify: async () => (await import('./commands/run-jobs.js')).verify,
  },
  'Operation:': {
    status: async () => (await import('./commands/status.js')).status,
    doctor: async () => (await import('./commands/doctor.js')).doctor,
    backup: async () => (await import('./commands/backup.js')).backup,
    restore: async () => (await import('./commands/backup.js')).restore,
    jobs: async () => (await import('./commands/jobs.js')).jobs,
  },
  'This command line:': {
    completion: async () => (await import('./commands/completion.js')).completion,
  },
} satisfies CommandGroups

const notes = `
Exit status: 0 done; 1 done, but some records were rejected or differ; 2 not done.
DATA_DIR names the data folder (default: ./data). With MONGODB_URL instead, and MEILI_URL, MEILI_KEY and REDIS_URL, the \
catalog is on servers: the indexer runs sync, rebuild, stats, export, dataset and verify, unless --local is given.
Commands can be used while the services are running.
`

/**
 * Parses the arguments and runs a command on the catalog that the environment configures. Errors are printed to standard
 * error. Of the commands, only the one that is named is loaded; help, completion and the correction of a name need all.
 *
 * @param args without the names of program and script
 * @param groups every command, in the order of the help
 */
export async function runCommandLine(args: string[], io: CommandIo, groups: CommandGroups): Promise<ExitStatus> {
  for (const misspelled of misspelledSettings(io.env)) {
    reportProblem(io.stderr, misspelledText(misspelled))
  }
  const cli = openCommandLine(io)
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
  const isNamed = Object.values(groups).some((commands) => Object.hasOwn(commands, args[0] ?? ''))
  const needsAll = !isNamed || args[0] === 'completion'
  for (const [heading, commands] of Object.entries(groups)) {
    program.commandsGroup(heading)
    for (const [name, load] of Object.entries(commands)) {
      if (needsAll || name === args[0]) {
        const command = await load()
        command.addTo(program, cli, (exitStatus) => {
          status = exitStatus
        })
      }
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
function reportError(error: unknown, { stderr }: CommandIo): { code: string | null; message: string } {
  if (error instanceof CommanderError) {
    // commander has printed its message already.
    return { code: error.exitCode === 0 ? null : 'bad_arguments', message: error.message }
  }
  if (error instanceof AppError) {
    reportProblem(stderr, operatorMessage(error))
    return error
  }
  const description = error instanceof Error ? (error.stack ?? error.message) : String(error)
  stderr.write(`Unexpected error: ${printable(description)}\n`)
  return { code: 'unexpected', message: 'Unexpected error.' }
}
