import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** More than the tests of one run, and the servers that they share, store at the same time. */
const neededBytes = 4 * 1024 ** 3

/** In memory where there is room: what tests store need not survive a crash of the machine, and a write is not waited for. */
function root() {
  const inMemory = '/dev/shm'
  try {
    const { bavail, bsize } = statfsSync(inMemory)
    return bavail * bsize >= neededBytes ? inMemory : tmpdir()
  } catch {
    // Only Linux has it.
    return tmpdir()
  }
}

/** Gives a run of Jest its own folder for temporary files, which is deleted when the run ends, for any reason. */
export default function makeRunFolder() {
  const folder = mkdtempSync(join(root(), 'skill-catalog-tests-'))
  // Some tests run a command as another user, who must be able to reach its data.
  chmodSync(folder, 0o755)
  // Its standard input ends with this process; a server of the tests may still write then. In its own process group,
  // Ctrl-C does not end it too early.
  const watcher = spawn('sh', ['-c', 'read -r _; rm -rf "$0" || { sleep 1; rm -rf "$0"; }', folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  watcher.unref()
  watcher.stdin.unref()
  process.env.TMPDIR = folder
}
