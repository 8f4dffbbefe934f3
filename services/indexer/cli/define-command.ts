import type { Command } from 'commander'
import { printable } from '../../../shared/text/printable.js'
import type { CommandLine, CommonOptions, ExitStatus, Outcome } from './command-line.js'

export interface CommandDefinition<Options extends CommonOptions> {
  /** For instance `import <source...>`. */
  usage: string
  summary: string
  /** What the summary does not say, by paragraphs. */
  details: string[]
  /** Command lines to copy, without `npm run catalog --`. */
  examples: string[]
  /** Adds the options that only this command has. */
  options?: (command: Command) => Command
  /** Commands below this one: `jobs pause` is one of `jobs`. */
  subcommands?: DefinedCommand[]
  run(cli: CommandLine, options: Options, operands: string[]): Promise<Outcome>
}

/** A command of the command line: how it is called, and what it does. */
export interface DefinedCommand {
  /** @param ended hears how it ended */
  addTo(above: Command, cli: CommandLine, ended: (status: ExitStatus) => void): void
}

/** Defines a command. Its options are checked by their own parsers when `run` gets them. */
export function defineCommand<Options extends CommonOptions>(definition: CommandDefinition<Options>): DefinedCommand {
  return {
    addTo(above, cli, ended) {
      const { usage, summary, details, examples, options, subcommands = [] } = definition
      const command = above
        .command(usage)
        .summary(summary)
        .description([`${capitalized(summary)}.`, ...details].join('\n\n'))
      options?.(command)
      command
        .option('--json', 'print one line of JSON with what was done, for machines')
        .addHelpText('after', `\nExamples:\n${examples.map((line) => `  npm run catalog -- ${line}`).join('\n')}\n`)
        .action(async () => {
          const startedMs = performance.now()
          // --json behind the name of a subcommand is taken by the command above it.
          const given = command.optsWithGlobals<Options>()
          const outcome = await definition.run(cli, given, command.args)
          const durationMs = Math.round(performance.now() - startedMs)
          const { status, result, text, complaint } = outcome
          if (complaint !== undefined) {
            cli.stderr.write(`${printable(complaint)}\n`)
          }
          const line = JSON.stringify({ command: fullName(command), status, ...result, durationMs })
          cli.stdout.write(given.json ? `${line}\n` : text)
          ended(status)
        })
      for (const subcommand of subcommands) {
        subcommand.addTo(command, cli, ended)
      }
    },
  }
}

/** The words that a command is called by: `jobs pause`. */
export const fullName = (command: Command): string =>
  command.parent?.parent ? `${fullName(command.parent)} ${command.name()}` : command.name()

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
