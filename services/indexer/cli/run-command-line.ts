import { openCatalog, openRemoteJobs, openStores } from '../../../shared/adapters/open.js'
import type { Stores } from '../../../shared/adapters/stores.js'
import type { SharedConfig } from '../../../shared/runtime/config.js'
import { AppError } from '../../../shared/runtime/errors.js'
import { createLog } from '../../../shared/runtime/log.js'
import { readIndexerConfig } from '../config.js'
import { schedules } from '../jobs.js'
import type { CommandLine, ExitStatus } from './command-line.js'
import { readCommandConfig } from './config.js'
import { runProgram } from './program.js'

/** The streams of a command, and the signal that asks it to stop. */
export type CommandIo = Pick<CommandLine, 'stdin' | 'stdout' | 'stderr' | 'signal'>

/**
 * Runs a command on the catalog that the environment configures.
 *
 * @param args without the names of program and script
 */
export async function runCommandLine(args: string[], io: CommandIo, env: NodeJS.ProcessEnv): Promise<ExitStatus> {
  try {
    return await runProgram(args, openCommandLine(io, env))
  } catch (error) {
    io.stderr.write(`${error instanceof AppError ? error.message : error}\n`)
    return 2
  }
}

/** Reads the configuration; stores are opened on demand. */
function openCommandLine(io: CommandIo, env: NodeJS.ProcessEnv): CommandLine {
  const config = readCommandConfig(env)
  const log = createLog(config.logLevel)
  const openOptions = { threads: 'command' as const, writes: true, startTimeoutMs: 0, log }
  const indexer = readIndexerConfig(env)
  const jobSchedules = schedules(config.mode, indexer)
  const withStoresOf = async <T>(storesConfig: SharedConfig, work: (stores: Stores) => Promise<T>): Promise<T> => {
    const stores = await openStores(storesConfig, openOptions)
    try {
      return await work(stores)
    } finally {
      await stores.close()
    }
  }
  return {
    ...io,
    log,
    clock: () => new Date(),
    dataDir: config.mode === 'embedded' ? config.dataDir : null,
    changesKeptDays: indexer.changesKeptDays,
    signer: indexer.signer ?? null,
    schedules: jobSchedules,
    async withCatalog(work) {
      const opened = await openCatalog(config, openOptions)
      try {
        return await work(opened.catalog)
      } finally {
        await opened.close()
      }
    },
    withStores: (work) => withStoresOf(config, work),
    withFolder: (dataDir, work) =>
      withStoresOf({ mode: 'embedded', dataDir, logLevel: config.logLevel, embedder: config.embedder }, work),
    withIndexers:
      config.mode === 'embedded'
        ? null
        : async (work) => {
            const jobs = await openRemoteJobs(config, jobSchedules, log)
            try {
              return await work(jobs)
            } finally {
              await jobs.stop(0)
            }
          },
  }
}
