import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from '@jest/globals'
import { temporaryFolder } from './temporary-folder.js'

/** Puts what a command needs in front of it, so that file permissions hold for it. */
export type WithPermissions = (command: string[]) => string[]

/**
 * A test of a command that lacks a permission: skipped, and named, where it cannot lack any. The superuser may read any
 * folder; on Linux, without two capabilities, only what its owner or everybody may.
 */
export function testOfPermissions(name: string, run: (withPermissions: WithPermissions) => Promise<void>): void {
  const found = candidates.find((withPermissions) => refuses(withPermissions))
  if (found === undefined) {
    test.skip(`${name} (the superuser lacks no permission here: run as another user, or with setpriv on Linux)`, () => {})
    return
  }
  test(name, () => run(found))
}

const candidates: WithPermissions[] = [
  (command) => command,
  (command) => ['setpriv', '--bounding-set=-dac_override,-dac_read_search', ...command],
]

/** Whether a command that is started so can run, and cannot list a closed folder. */
function refuses(withPermissions: WithPermissions): boolean {
  const closed = join(temporaryFolder(), 'closed')
  mkdirSync(closed)
  chmodSync(closed, 0o000)
  const run = (...words: string[]): boolean => {
    const [command = '', ...args] = withPermissions(words)
    return spawnSync(command, args).status === 0
  }
  return run('true') && !run('ls', closed)
}
