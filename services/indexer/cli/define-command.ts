import type { Command } from 'commander'
import type { CommandLine, CommonOptions, ExitStatus, Outcome } from './command-line.js'
import { printable } from './printable.js'

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
  run(cli: CommandLine, options: Options, operands: string[]): Promise<Outcome>
}

/** A command of the command line: how it is called, and what it does. */
export interface DefinedCommand {
  /** @param ended hears how it ended */
  addTo(program: Command, cli: CommandLine, ended: (status: ExitStatus) => void): void
}

/** Defines a command. Its options are checked by their own parsers when `run` gets them. */
export function defineCommand<Options extends CommonOptions>(definition: CommandDefinition<Options>): DefinedCommand {
  return {
    addTo(program, cli, ended) {
      const { usage, summary, details, examples, options } = definition
      const command = program
        .command(usage)
        .summary(summary)
        .description([`${capitalized(summary)}.`, ...details].join('\n\n'))
      options?.(command)
      command
        .option('--json', 'print one line of JSON with what was done, for machines')
        .addHelpText('after', `\nExamples:\n${examples.map((line) => `  npm run catalog -- ${line}`).join('\n')}\n`)
        .action(async () => {
          const startedMs = performance.now()
          const given = command.opts<Options>()
          const outcome = await definition.run(cli, given, command.args)
          const durationMs = Math.round(performance.now() - startedMs)
          const { status, result, text, complaint } = outcome
          if (complaint !== undefined) {
            cli.stderr.write(`${printable(complaint)}\n`)
          }
          const line = JSON.stringify({ command: command.name(), status, ...result, durationMs })
          cli.stdout.write(given.json ? `${line}\n` : text)
          ended(status)
        })
    },
  }
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
