import type { ChildProcess } from 'node:child_process'

/** The output of a process so far, and its end. */
export interface WatchedOutput {
  stdout(): string
  stderr(): string
  /** Resolves when either output has this; rejects when the process ends before. */
  says(text: string): Promise<void>
  /** Resolves with its exit status, or the name of the signal that ended it. */
  ended: Promise<number | NodeJS.Signals | null>
}

/** Keeps the output of a process from now on. */
export function watchOutput(child: ChildProcess): WatchedOutput {
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (chunk: string) => {
      output[name] += chunk
      child.emit('said')
    })
  }
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) => {
    child.on('close', (code, signal) => resolve(signal ?? code))
  })
  const says = async (text: string) => {
    const said = () => output.stdout.includes(text) || output.stderr.includes(text)
    while (!said()) {
      const more = new Promise<'more'>((resolve) => child.once('said', () => resolve('more')))
      const how = await Promise.race([more, ended])
      if (how !== 'more' && !said()) {
        throw new Error(`it ended (${how}) without saying ${JSON.stringify(text)}:\n${output.stdout}\n${output.stderr}`)
      }
    }
  }
  return { stdout: () => output.stdout, stderr: () => output.stderr, says, ended }
}

/** Kills a process that was started detached, with all that it has started. */
export function killGroup({ pid }: Pick<ChildProcess, 'pid'>): void {
  try {
    process.kill(-Number(pid), 'SIGKILL')
  } catch {
    // It has ended already.
  }
}
