import { openCatalog, openRemoteJobs, openStores, type Stores } from '../../../shared/adapters/open.js'
import type { SharedConfig } from '../../../shared/config.js'
import { AppError, operatorError } from '../../../shared/errors.js'
import { createLog } from '../../../shared/log.js'
import { readIndexerConfig } from '../config.js'
import { schedules } from '../jobs.js'
import type { CommandLine } from './command-line.js'
import { readCommandConfig } from './config.js'
import { runProgram } from './program.js'

/** What the commands are given: standard streams, configuration, and stores that are opened when they are needed. */
function openCommandLine(): CommandLine {
  const config = readCommandConfig()
  const log = createLog(config.logLevel)
  const opening = { threads: false, writes: true, patienceMs: 0, log }
  const indexer = readIndexerConfig()
  const table = schedules(indexer)
  const withStoresOf = async <T>(of: SharedConfig, work: (stores: Stores) => Promise<T>): Promise<T> => {
    const stores = await openStores(of, opening)
    try {
      return await work(stores)
    } finally {
      await stores.close()
    }
  }
  return {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    log,
    clock: () => new Date(),
    signal: endRequested(),
    dataDir: config.mode === 'embedded' ? config.dataDir : null,
    changesKeptDays: indexer.changesKeptDays,
    schedules: table,
    async withCatalog(work) {
      const opened = await openCatalog(config, opening)
      try {
        return await work(opened.catalog)
      } finally {
        await opened.close()
      }
    },
    withStores: (work) => withStoresOf(config, work),
    withFolder: (dataDir, work) => withStoresOf({ mode: 'embedded', dataDir, logLevel: config.logLevel }, work),
    withIndexers:
      config.mode === 'embedded'
        ? null
        : async (work) => {
            const jobs = await openRemoteJobs(config, table, log)
            try {
              return await work(jobs)
            } finally {
              await jobs.stop(0)
            }
          },
  }
}

/** Aborted by the first Ctrl-C; the second one ends the process at once, as it always does. */
function endRequested(): AbortSignal {
  const controller = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      controller.abort(operatorError('stopped', 'Stopped. What was done stays done; run it again to complete it.'))
    })
  }
  return controller.signal
}

/** Whoever reads the output may stop reading, as `head` does: there is nobody left to tell. */
process.stdout.on('error', (error) => {
  process.exit('code' in error && error.code === 'EPIPE' ? 0 : 2)
})

try {
  process.exitCode = await runProgram(process.argv.slice(2), openCommandLine())
} catch (error) {
  process.stderr.write(`${error instanceof AppError ? error.message : error}\n`)
  process.exitCode = 2
}
