import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterEach } from '@jest/globals'
import { projectRoot } from '../../shared/runtime/project-root.js'
import { testedEnvironment } from './catalog-command.js'

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
  /** The exit status of the command; null: a signal ended it. */
  ended: Promise<number | null>
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
  running.push(Number(child.pid))
  let shown = ''
  child.stdout.on('data', (chunk) => {
    shown += String(chunk)
  })
  const ended = once(child, 'close').then(([status]) => status as number | null)
  return {
    text: () => shown,
    shows: async (text) => {
      while (!shown.includes(text)) {
        const isRunning = await Promise.race([once(child.stdout, 'data').then(() => true), ended.then(() => false)])
        if (!isRunning && !shown.includes(text)) {
          throw new Error(`the command ended before showing ${text}:\n${shown}`)
        }
      }
    },
    types: (keys) => void child.stdin.write(keys),
    ctrlC: async () => {
      child.stdin.write('\u0003')
      await ended
    },
    ended,
  }
}

const running: number[] = []

afterEach(() => {
  for (const pid of running.splice(0)) {
    try {
      process.kill(-pid, 'SIGKILL')
    } catch {
      // It has ended.
    }
  }
})
