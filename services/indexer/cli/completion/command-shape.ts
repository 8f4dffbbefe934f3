import type { Command, Option } from 'commander'

/** What a shell completes at one command. */
export interface CommandShape {
  /** The command with its parents: `catalog jobs pause`. */
  place: string
  subcommands: { name: string; summary: string }[]
  options: OptionShape[]
  /** The values of its operands; empty where they are free text. */
  operands: string[]
  /** Whether its operands are files or folders. */
  takesFiles: boolean
}

interface OptionShape {
  /** `--type`, and `-h` where it has a short form. */
  flags: string[]
  summary: string
  /** The words that may follow it; empty: free text. Null: none follows. */
  values: string[] | null
}

/** Names of arguments that are files or folders. */
const fileArguments = ['source', 'folder', 'file', 'lock-file']

/** A command and all below it, as its help shows them. */
export function shapesOf(command: Command, parents: Command[] = []): CommandShape[] {
  const help = command.createHelp()
  const subcommands = help.visibleCommands(command)
  const args = command.registeredArguments
  return [
    {
      place: [...parents, command].map((each) => each.name()).join(' '),
      subcommands: subcommands.map((each) => ({ name: each.name(), summary: each.summary() || each.description() })),
      options: help.visibleOptions(command).map(optionShape),
      // `help` explains the commands of its parent.
      operands:
        command.name() === 'help'
          ? (parents.at(-1)?.commands ?? []).map((each) => each.name())
          : args.flatMap(({ argChoices = [] }) => argChoices),
      takesFiles: args.some((argument) => fileArguments.includes(argument.name())),
    },
    ...subcommands.flatMap((each) => shapesOf(each, [...parents, command])),
  ]
}

const optionShape = ({ long, short, description, required, optional, argChoices = [] }: Option): OptionShape => ({
  flags: [long, short].filter((flag) => flag !== undefined),
  summary: description,
  values: required || optional ? argChoices : null,
})

/** A text in single quotes of a POSIX shell. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
