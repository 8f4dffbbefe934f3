import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { testUnless } from './skip.js'
import { temporaryFolder } from './temporary-folder.js'

/** A command line prefix under which file permissions apply. */
export type WithPermissions = (command: string[]) => string[]

/**
 * A test of a command that lacks a permission: skipped, with the reason, where none can be taken from it. The superuser
 * may read any folder; on Linux, without two capabilities, only as its owner or as others.
 */
export function testOfPermissions(name: string, run: (withPermissions: WithPermissions) => Promise<void>): void {
  const found = candidates.find((withPermissions) => refuses(withPermissions))
  const reason = 'the superuser lacks no permission here: run as another user, or with setpriv on Linux'
  testUnless(found ? null : reason, name, () => run(found ?? asItIs))
}

const asItIs: WithPermissions = (command) => command

const candidates: WithPermissions[] = [
  asItIs,
  (command) => ['setpriv', '--bounding-set=-dac_override,-dac_read_search', ...command],
]

/** Whether a command with this prefix runs, and cannot list a closed folder. */
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
