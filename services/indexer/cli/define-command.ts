import { styleText } from 'node:util'
import { type Command, InvalidArgumentError } from 'commander'
import { rankNearMatches } from '../../../shared/ranking/find-matches.js'
import { printable } from '../../../shared/text/clean-text.js'
import { type CommandLine, type CommonOptions, type ExitStatus, type Outcome, reportProblem } from './command-line.js'
import { type OutputStream, type Screen, screenOf } from './output/screen.js'

/** Wider help is hard to read. */
const maxHelpColumns = 100

/** Where less is left for descriptions, they are not wrapped. */
const minTextColumns = 24

/** commander removes colours where the stream has none. */
const styled = (format: Parameters<typeof styleText>[0]) => (text: string) =>
  styleText(format, text, { validateStream: false })

/** Makes a program and its later commands print help and errors as wide as the terminal, with colours on one only. */
export function styleHelp(program: Command, { stdout, stderr }: Pick<CommandLine, 'stdout' | 'stderr'>): Command {
  const widthOf = ({ isTTY, columns }: OutputStream) => (isTTY && columns ? Math.min(columns, maxHelpColumns) : 80)
  const hasColors = (stream: OutputStream) => screenOf(stream).style('bold', 'x') !== 'x'
  return program
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      outputError: (text, write) => {
        const { style, wrap } = screenOf(stderr)
        write(style('red', wrap(printable(text))))
      },
      getOutHelpWidth: () => widthOf(stdout),
      getErrHelpWidth: () => widthOf(stderr),
      getOutHasColors: () => hasColors(stdout),
      getErrHasColors: () => hasColors(stderr),
    })
    .configureHelp({
      minWidthToWrap: minTextColumns,
      styleTitle: styled('bold'),
      styleCommandText: styled('cyan'),
      styleSubcommandText: styled('cyan'),
      styleOptionText: styled('cyan'),
      styleArgumentText: styled('green'),
    })
}

const exampleText = (examples: string[], { style }: Pick<Screen, 'style'>): string =>
  `\n${style('bold', 'Examples:')}\n${examples.map((line) => `  ${style('dim', 'npm run catalog --')} ${line}`).join('\n')}\n`

export interface CommandDefinition<Options extends CommonOptions> {
  /** For instance `import <source...>`. */
  usage: string
  summary: string
  /** Paragraphs that follow the summary in the help. */
  details: string[]
  /** Command lines, without `npm run catalog --`. */
  examples: string[]
  /** Set where standard output is for the command's own protocol: there is no result to print. */
  ownOutput?: true
  /** Adds the command's own options. */
  options?: (command: Command) => Command
  /** For instance `jobs pause` of `jobs`. */
  subcommands?: DefinedCommand[]
  /** @param program with all commands */
  run(cli: CommandLine, options: Options, operands: string[], program: Command): Promise<Outcome>
}

/** A command that can be added to the program or to another command. */
export interface DefinedCommand {
  /** @param onEnd called with the exit status */
  addTo(parent: Command, cli: CommandLine, onEnd: (status: ExitStatus) => void): void
}

/** Defines a command. The options' own parsers have checked them before `run` is called. */
export function defineCommand<Options extends CommonOptions>(definition: CommandDefinition<Options>): DefinedCommand {
  return {
    addTo(parent, cli, onEnd) {
      const { usage, summary, details, examples, options, ownOutput, subcommands = [] } = definition
      const command = parent
        .command(usage)
        .summary(summary)
        .description([`${capitalized(summary)}.`, ...details].join('\n\n'))
      options?.(command)
      if (!ownOutput) {
        command.option('--json', 'print the result as one line of JSON')
      }
      command
        .addHelpText('after', (context) => exampleText(examples, screenOf(context.error ? cli.stderr : cli.stdout)))
        .action(async () => {
          refuseUnknownSubcommand(command)
          const startedMs = performance.now()
          // commander gives --json after a subcommand's name to the parent command.
          const values = command.optsWithGlobals<Options>()
          const outcome = await definition.run(cli, values, command.args, programOf(command))
          const durationMs = Math.round(performance.now() - startedMs)
          const { status, result, text, warning } = outcome
          if (warning !== undefined) {
            reportProblem(cli.stderr, warning)
          }
          const line = JSON.stringify({ command: fullName(command), status, ...result, durationMs })
          cli.stdout.write(values.json ? `${line}\n` : text)
          onEnd(status)
        })
      // A misspelled subcommand arrives as an operand.
      command.allowExcessArguments(subcommands.length > 0)
      for (const subcommand of subcommands) {
        subcommand.addTo(command, cli, onEnd)
      }
    },
  }
}

function refuseUnknownSubcommand(command: Command): void {
  const [word] = command.args
  if (word !== undefined && command.commands.length > 0) {
    const [near] = rankNearMatches(
      word,
      command.commands.map((each) => each.name()),
      1,
    )
    const suggestion = near === undefined ? '' : `\n(Did you mean ${near}?)`
    command.error(`error: unknown command '${word}'${suggestion}`, { code: 'commander.unknownCommand' })
  }
}

/** A command's name with its parents' names: `jobs pause`. */
export const fullName = (command: Command): string =>
  command.parent?.parent ? `${fullName(command.parent)} ${command.name()}` : command.name()

const programOf = (command: Command): Command => (command.parent === null ? command : programOf(command.parent))

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

const numberParser =
  (pattern: RegExp, form: string) =>
  (text: string): number => {
    if (!pattern.test(text)) {
      throw new InvalidArgumentError(`It must be ${form}.`)
    }
    return Number(text)
  }

export const wholeNumber = numberParser(/^\d{1,9}$/, 'a whole number, 0 or more')
export const countFromOne = numberParser(/^[1-9]\d{0,5}$/, 'a whole number from 1 to 999999')
export const secondsFromOne = numberParser(/^[1-9]\d{0,5}$/, 'a whole number of seconds, 1 or more')
