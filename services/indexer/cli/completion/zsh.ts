import { type CommandShape, quoted } from './command-shape.js'

/** The completion script for zsh. */
export function zshScript(shapes: CommandShape[]): string {
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
${shapes.map(atPlace).join('\n')}
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

function atPlace({ place, subcommands, options, operands, takesFiles }: CommandShape): string {
  const words = [...subcommands.map(({ name, summary }) => described(name, summary)), ...operands.map(quoted)]
  const flags = options.flatMap((option) => option.flags.map((flag) => described(flag, option.summary)))
  return `    (${quoted(place)})
      words_here=(${words.join(' ')})
      options=(${flags.join(' ')})
      [[ \${words[CURRENT]} == -* ]] || ${takesFiles ? '_files' : '_describe argument words_here'}
      ;;`
}

const described = (word: string, summary: string): string => quoted(`${word}:${summary.replaceAll(':', '\\:')}`)
