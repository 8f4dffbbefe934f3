import { execFileSync } from 'node:child_process'
import { test } from '@jest/globals'
import { temporaryFolder } from './temporary-folder.js'

/** A file system of a MiB, of its own. */
export interface SmallDisk {
  folder: string
  /** Mounts it anew with these options, for instance `size=64m` or `ro`. */
  remount(options: string): void
}

/** A test that needs a full disk: skipped, and named, where none can be mounted. Only a Linux root may do that. */
export function testOnSmallDisk(name: string, run: (disk: SmallDisk) => Promise<void>, timeoutMs = 120_000): void {
  if (!canMount) {
    test.skip(`${name} (no disk can be mounted: run as root on Linux)`, () => {})
    return
  }
  test(
    name,
    async () => {
      const folder = temporaryFolder()
      mount('-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder)
      try {
        await run({ folder, remount: (options) => mount('-o', `remount,${options}`, folder) })
      } finally {
        // Lazily: whoever still has a file of it open must not keep it.
        execFileSync('umount', ['-l', folder])
      }
    },
    timeoutMs,
  )
}

const mount = (...args: string[]): void => void execFileSync('mount', args, { stdio: 'ignore' })

const canMount = ((): boolean => {
  try {
    const probe = temporaryFolder()
    mount('-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', probe)
    execFileSync('umount', [probe])
    return true
  } catch {
    return false
  }
})()
