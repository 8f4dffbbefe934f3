#!/usr/bin/env node
import { constants, getPriority, setPriority } from 'node:os'
import { endProcess } from '../../../shared/runtime/end-process.js'
import { operatorError } from '../../../shared/runtime/errors.js'
import { runCommandLine } from '../../indexer/cli/program.js'
import { commands } from './commands.js'

/** Aborted by the first Ctrl-C; the second one ends the process at once. */
function stopSignal(): AbortSignal {
  const controller = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      controller.abort(operatorError('stopped', 'Stopped. Completed work is kept; run the command again to continue.'))
    })
  }
  return controller.signal
}

// The reader of the output may close it early, as `head` does.
process.stdout.on('error', (error) => {
  endProcess('code' in error && error.code === 'EPIPE' ? 0 : 2)
})

const args = process.argv.slice(2)
const low = constants.priority.PRIORITY_BELOW_NORMAL
// Nobody waits for it: requests to a service on this machine go first. Its threads inherit the priority, which few users
// may raise: after `nice -n 15` it stays as it is.
if (args[0] === 'rebuild' && getPriority() < low) {
  setPriority(low)
}
const { stdin, stdout, stderr, env } = process
process.exitCode = await runCommandLine(args, { stdin, stdout, stderr, signal: stopSignal(), env }, commands)
