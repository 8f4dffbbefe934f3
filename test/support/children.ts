import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'

const children = new Set<ChildProcess>()

process.once('exit', () => {
  for (const child of children) {
    child.kill('SIGKILL')
  }
})

/** Kills a process when this one exits; a SIGKILL of this one leaves it running. */
export function endsWithUs(child: ChildProcess): void {
  children.add(child)
  child.once('exit', () => children.delete(child))
}

/** Kills these processes now. Resolves when they have ended. */
export async function endChildren(): Promise<void> {
  const ended = [...children].map((child) => once(child, 'exit'))
  for (const child of children) {
    child.kill('SIGKILL')
  }
  await Promise.all(ended)
}
