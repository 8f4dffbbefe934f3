import { afterEach } from '@jest/globals'
import { openStores, type Stores } from '../../shared/adapters/open.js'
import {
  type CatalogProcess,
  type CatalogProcessOptions,
  type CatalogRun,
  killCommands,
  startCatalogOn,
} from './catalog-command.js'
import { silentLog } from './test-log.js'

/** Starts a command as it is built, on this data folder. */
export const startCatalog = (dataDir: string, args: string[], options: CatalogProcessOptions = {}): CatalogProcess =>
  startCatalogOn({ DATA_DIR: dataDir }, args, options)

/** Runs a command to its end, with this on its standard input. */
export async function runCatalog(dataDir: string, args: string[], stdin: string | Buffer = ''): Promise<CatalogRun> {
  const command = startCatalog(dataDir, args)
  command.stdin.end(stdin)
  return command.ended
}

/** Does something with the stores of a data folder, as another process would. */
export async function withStoresOf<T>(dataDir: string, work: (stores: Stores) => Promise<T>): Promise<T> {
  const stores = await openStores(
    { mode: 'embedded', dataDir, logLevel: 'silent' },
    { threads: false, writes: true, patienceMs: 0, log: silentLog() },
  )
  try {
    return await work(stores)
  } finally {
    await stores.close()
  }
}

afterEach(killCommands)
