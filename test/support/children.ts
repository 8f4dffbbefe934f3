import type { ChildProcess } from 'node:child_process'

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
