import { Argument, type Command, type Option } from 'commander'
import type { CommonOptions } from '../command-line.js'
import { defineCommand } from '../define-command.js'

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
function shapesOf(command: Command, parents: Command[] = []): CommandShape[] {
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
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

function bashScript(shapes: CommandShape[]): string {
  const places = shapes.slice(1).map(({ place }) => quoted(place))
  const values = shapes.flatMap(({ place, options }) =>
    options.flatMap((option) =>
      option.flags.map((flag) => ({ at: quoted(`${place} ${flag}`), values: option.values })),
    ),
  )
  return `# Completion of catalog for bash: source <(catalog completion bash)
_catalog() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD - 1]}
  local place=catalog words= options= files= i
  # bash divides --type=skills into three words.
  if [[ $cur == = ]]; then cur=; elif [[ $prev == = ]]; then prev=\${COMP_WORDS[COMP_CWORD - 2]}; fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$place \${COMP_WORDS[i]}" in
      ${places.join(' | ')}) place="$place \${COMP_WORDS[i]}" ;;
    esac
  done
  case "$place $prev" in
${values.flatMap((each) => (each.values === null ? [] : [`    ${each.at}) words=${quoted(each.values.join(' '))} ;;`])).join('\n')}
    *)
      case "$place" in
${shapes.map(atPlace).join('\n')}
      esac
      if [[ $cur == -* ]]; then words=$options files=; fi
      ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
  if [[ -n $files ]]; then compopt -o default 2>/dev/null; fi
}
complete -F _catalog catalog
`
}

function atPlace({ place, subcommands, options, operands, takesFiles }: CommandShape): string {
  const words = [...subcommands.map(({ name }) => name), ...operands].join(' ')
  const flags = options.flatMap((option) => option.flags).join(' ')
  return `        ${quoted(place)}) words=${quoted(words)} options=${quoted(flags)}${takesFiles ? ' files=yes' : ''} ;;`
}

function zshScript(shapes: CommandShape[]): string {
  const places = shapes.slice(1).map(({ place }) => quoted(place))
  return `#compdef catalog
# Completion of catalog for zsh: source <(catalog completion zsh)
_catalog() {
  local place=catalog word
  local -a words_here options
  for word in \${words[2,CURRENT-1]}; do
    case "$place $word" in
      (${places.join('|')}) place="$place $word" ;;
    esac
  done
  case "$place \${words[CURRENT-1]}" in
${shapes.flatMap(valuesAt).join('\n')}
  esac
  case "$place" in
${shapes.map(valuesAtPlace).join('\n')}
  esac
  if [[ \${words[CURRENT]} == -* ]]; then
    _describe -o option options
  fi
}
if [[ "\${funcstack[1]}" == _catalog ]]; then
  _catalog "$@"
else
  compdef _catalog catalog
fi
`
}

/** The values of the options that have some. After these nothing else is completed. */
function valuesAt({ place, options }: CommandShape): string[] {
  return options.flatMap(({ flags, values }) =>
    values === null
      ? []
      : [
          `    (${flags.map((flag) => quoted(`${place} ${flag}`)).join('|')}) compadd -- ${values.join(' ')}; return ;;`,
        ],
  )
}

function valuesAtPlace({ place, subcommands, options, operands, takesFiles }: CommandShape): string {
  const words = [...subcommands.map(({ name, summary }) => described(name, summary)), ...operands.map(quoted)]
  const flags = options.flatMap((option) => option.flags.map((flag) => described(flag, option.summary)))
  return `    (${quoted(place)})
      words_here=(${words.join(' ')})
      options=(${flags.join(' ')})
      [[ \${words[CURRENT]} == -* ]] || ${takesFiles ? '_files' : '_describe argument words_here'}
      ;;`
}

const described = (word: string, summary: string): string => quoted(`${word}:${summary.replaceAll(':', '\\:')}`)

const fishScript = (
  shapes: CommandShape[],
): string => `# Completion of catalog for fish: catalog completion fish | source
function __catalog_at
    set -l place catalog
    for word in (commandline -opc)[2..]
        switch "$place $word"
            case ${shapes
              .slice(1)
              .map(({ place }) => quotedForFish(place))
              .join(' ')}
                set place "$place $word"
        end
    end
    test "$place" = "$argv"
end
complete -c catalog -f
${shapes.flatMap(linesOf).join('\n')}
`

function linesOf({ place, subcommands, options, operands, takesFiles }: CommandShape): string[] {
  const complete = `complete -c catalog -n ${quotedForFish(`__catalog_at ${place}`)}`
  return [
    ...subcommands.map(({ name, summary }) => `${complete} -a ${name} -d ${quotedForFish(summary)}`),
    ...(operands.length === 0 ? [] : [`${complete} -a ${quotedForFish(operands.join(' '))}`]),
    ...(takesFiles ? [`${complete} -F`] : []),
    ...options.map(({ flags, summary, values }) => {
      const names = flags.map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`))
      const following =
        values === null ? [] : ['-x', ...(values.length === 0 ? [] : ['-a', quotedForFish(values.join(' '))])]
      return [complete, ...names, ...following, '-d', quotedForFish(summary)].join(' ')
    }),
  ]
}

/** A text in single quotes of fish, which knows two escapes in them. */
const quotedForFish = (text: string): string => `'${text.replaceAll(/['\\]/g, '\\$&')}'`

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript } satisfies {
  [shell: string]: (shapes: CommandShape[]) => string
}
const shells = Object.keys(scripts) as (keyof typeof scripts)[]

/** `completion`: prints a script that completes the words of the command line in a shell. */
export const completion = defineCommand<CommonOptions>({
  usage: 'completion',
  summary: 'print a script that completes commands, options and their values',
  details: [
    'The script completes the words after the command catalog. `npm link` in the project’s folder makes that command; ' +
      'the container image has it.',
    'bash: append `source <(catalog completion bash)` to ~/.bashrc. zsh: append `source <(catalog completion zsh)` to ' +
      '~/.zshrc, after compinit. fish: write the script to ~/.config/fish/completions/catalog.fish.',
  ],
  examples: ['completion bash', 'completion zsh', 'completion fish'],
  options: (command) => command.addArgument(new Argument('<shell>', 'the shell').choices(shells)),
  async run(_cli, _options, [name], program) {
    const shell = shells.find((each) => each === name) ?? 'bash'
    const script = scripts[shell](shapesOf(program))
    return { status: 0, result: { shell, script }, text: script }
  },
})
