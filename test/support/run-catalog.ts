import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterEach } from '@jest/globals'
import type { CommandIo } from '../../services/indexer/cli/command-line.js'
import { runCommandLine } from '../../services/indexer/cli/program.js'
import { commands } from '../../services/standalone/cli/commands.js'
import type { Stores } from '../../shared/adapters/stores.js'
import {
  type CatalogProcess,
  type CatalogProcessOptions,
  type CatalogRun,
  catalogRun,
  killCommands,
  startCatalogOn,
  testedEnvironment,
} from './catalog-command.js'
import { openFolder } from './run-once.js'
import { temporaryFolder } from './temporary-folder.js'

/** Starts a built command on this data folder. */
export const startCatalog = (dataDir: string, args: string[], options: CatalogProcessOptions = {}): CatalogProcess =>
  startCatalogOn({ DATA_DIR: dataDir }, args, options)

/** Runs a command on this data folder, in this process, with this standard input. */
export const runCatalog = (dataDir: string, args: string[], stdin: string | Buffer = ''): Promise<CatalogRun> =>
  runInProcess({ DATA_DIR: dataDir }, args, stdin)

/**
 * Runs a command in this process, with these variables and this standard input: a process of its own would take longer
 * to start than most commands take. Without DATA_DIR it has no folder, rather than that of a service on this machine.
 *
 * @param terminal its width; default: a pipe
 */
export async function runInProcess(
  env: Record<string, string>,
  args: string[],
  stdin: string | Buffer,
  terminal: { columns?: number } = {},
): Promise<CatalogRun> {
  const shown = () => Object.assign(new PassThrough(), { isTTY: terminal.columns !== undefined }, terminal)
  const [stdout, stderr] = [shown(), shown()]
  const [stdoutText, stderrText] = [text(stdout), text(stderr)]
  const io = { stdin: Readable.from([Buffer.from(stdin)]), stdout, stderr, signal: new AbortController().signal }
  const status = await runOn(io, env, args)
  stdout.end()
  stderr.end()
  return catalogRun(status, await stdoutText, await stderrText)
}

/** The same on streams. @returns its exit status */
export const runOn = (io: Omit<CommandIo, 'env'>, env: Record<string, string>, args: string[]): Promise<number> =>
  runCommandLine(
    args,
    { ...io, env: { ...testedEnvironment(), DATA_DIR: join(temporaryFolder(), 'none'), ...env } },
    commands,
  )

/** Runs a command to its end in a process of its own, as an operator does. */
export async function runCatalogProcess(dataDir: string, args: string[], stdin = ''): Promise<CatalogRun> {
  const command = startCatalog(dataDir, args)
  command.stdin.end(stdin)
  return command.ended
}

/** Uses the stores of a data folder, as another process would. */
export async function withStoresOf<T>(dataDir: string, work: (stores: Stores) => Promise<T>): Promise<T> {
  const stores = await openFolder(dataDir)
  try {
    return await work(stores)
  } finally {
    await stores.close()
  }
}

/** A new data folder with a catalog that has no records. */
export async function emptyDataFolder(): Promise<string> {
  const folder = temporaryFolder()
  await withStoresOf(folder, async () => undefined)
  return folder
}

afterEach(killCommands)
