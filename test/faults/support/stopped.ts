import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** Resolves when a process has been stopped with SIGSTOP (Linux). */
export async function untilStopped({ pid }: { pid: number }): Promise<void> {
  // The state follows the name in parentheses.
  while (!/\) T /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))) {
    await sleep(50)
  }
}
