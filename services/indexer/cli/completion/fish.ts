import type { CommandShape } from './command-shape.js'

/** The completion script for fish. */
export const fishScript = (
  shapes: CommandShape[],
): string => `# Completion of catalog for fish: catalog completion fish | source
function __catalog_at
    set -l place catalog
    for word in (commandline -opc)[2..]
        switch "$place $word"
            case ${shapes
              .slice(1)
              .map(({ place }) => quoted(place))
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
  const complete = `complete -c catalog -n ${quoted(`__catalog_at ${place}`)}`
  return [
    ...subcommands.map(({ name, summary }) => `${complete} -a ${name} -d ${quoted(summary)}`),
    ...(operands.length === 0 ? [] : [`${complete} -a ${quoted(operands.join(' '))}`]),
    ...(takesFiles ? [`${complete} -F`] : []),
    ...options.map(({ flags, summary, values }) => {
      const names = flags.map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`))
      const following = values === null ? [] : ['-x', ...(values.length === 0 ? [] : ['-a', quoted(values.join(' '))])]
      return [complete, ...names, ...following, '-d', quoted(summary)].join(' ')
    }),
  ]
}

/** A text in single quotes of fish, which knows two escapes in them. */
const quoted = (text: string): string => `'${text.replaceAll(/['\\]/g, '\\$&')}'`
