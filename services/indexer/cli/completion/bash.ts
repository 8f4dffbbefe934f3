import { type CommandShape, quoted } from './command-shape.js'

/** The completion script for bash. */
export function bashScript(shapes: CommandShape[]): string {
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
