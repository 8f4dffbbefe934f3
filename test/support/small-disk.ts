import { execFileSync } from 'node:child_process'
import { closeSync, openSync, writeSync } from 'node:fs'
import { testUnless } from './skip.js'
import { temporaryFolder } from './temporary-folder.js'

/** A file system of 1 MiB. */
export interface SmallDisk {
  folder: string
  /** Mounts it again with these options, for instance `size=64m` or `ro`. */
  remount(options: string): void
}

/** A test that needs a full disk: skipped, with the reason, where none can be mounted. Only root on Linux can. */
export function testOnSmallDisk(name: string, run: (disk: SmallDisk) => Promise<void>, timeoutMs = 120_000): void {
  testUnless(
    canMount ? null : 'no disk can be mounted: run as root on Linux',
    name,
    async () => {
      const folder = temporaryFolder()
      mount('-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder)
      try {
        await run({ folder, remount: (options) => mount('-o', `remount,${options}`, folder) })
      } finally {
        // Lazy unmount: an open file must not prevent it.
        execFileSync('umount', ['-l', folder])
      }
    },
    timeoutMs,
  )
}

/** Fills the disk with a file. */
export function fillDisk(path: string): void {
  const file = openSync(path, 'w')
  for (const size of [1_048_576, 4_096, 1]) {
    try {
      for (;;) {
        writeSync(file, Buffer.alloc(size))
      }
    } catch {
      // Smaller pieces may still fit.
    }
  }
  closeSync(file)
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
