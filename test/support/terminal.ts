import { spawn } from 'node:child_process'
import { projectRoot } from '../../shared/runtime/project-root.js'
import { afterTest } from './after-test.js'
import { testedEnvironment } from './catalog-command.js'
import { killGroup, watchOutput } from './watch-output.js'

/** A command on a pseudo-terminal. */
export interface Terminal {
  /** The output so far. */
  text(): string
  /** Resolves when the output has this; rejects when the command ends before. */
  shows(text: string): Promise<void>
  /** Types text, such as a line or a control character. */
  types(keys: string): void
  /** Ends the command; resolves when it has ended. */
  ctrlC(): Promise<void>
  /** The exit status of the command, or the name of the signal that ended it. */
  ended: Promise<number | NodeJS.Signals | null>
}

/**
 * Runs a command of `/bin/sh` on a pseudo-terminal of the program `script`, with `NO_COLOR`. Ctrl-C reaches the shell,
 * too: with `exec` in front of the last program, only that program answers it.
 */
export function onTerminal(command: string, env: Record<string, string> = {}): Terminal {
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    cwd: projectRoot(),
    env: { ...testedEnvironment(), NODE_OPTIONS: '', SHELL: '/bin/sh', NO_COLOR: '1', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  })
  afterTest(() => killGroup(child))
  const { stdout, says, ended } = watchOutput(child)
  return {
    text: stdout,
    shows: says,
    types: (keys) => void child.stdin.write(keys),
    ctrlC: async () => {
      child.stdin.write('\u0003')
      await ended
    },
    ended,
  }
}
