import { Argument } from 'commander'
import type { CommonOptions } from '../command-line.js'
import { bashScript } from '../completion/bash.js'
import { type CommandShape, shapesOf } from '../completion/command-shape.js'
import { fishScript } from '../completion/fish.js'
import { zshScript } from '../completion/zsh.js'
import { defineCommand } from '../define-command.js'

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
