import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** Resolves when a process has been stopped, as by `kill -STOP`. Linux tells. */
export async function untilStopped({ pid }: { pid: number }): Promise<void> {
  // Its state stands behind its name, which is in brackets.
  while (!/\) T /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))) {
    await sleep(50)
  }
}
