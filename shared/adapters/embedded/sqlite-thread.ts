import { parentPort } from 'node:worker_threads'
import { workerData } from 'piscina'
import { AppError } from '../../errors.js'
import { SqliteCatalogStore } from './sqlite-catalog-store.js'
import { SqliteChangeLog } from './sqlite-change-log.js'
import { SqliteDatabase } from './sqlite-database.js'
import { SqliteSearchIndex } from './sqlite-search-index.js'

/** What a thread is told when it starts. */
export interface ThreadData {
  file: string
  lockFolder: string
}

/** A call of a port's method in a thread. */
export interface ThreadCall {
  port: 'catalog' | 'index' | 'changes'
  method: string
  args: unknown[]
}

/** What comes back: errors as plain data, since a copy between threads would lose their class. */
export type ThreadAnswer =
  | { result: unknown }
  | { error: Pick<AppError, 'status' | 'code' | 'message' | 'headers'> & { cause: string } }

const { file, lockFolder } = workerData as ThreadData
const db = new SqliteDatabase(file)
const ports = {
  catalog: new SqliteCatalogStore(db, lockFolder),
  index: new SqliteSearchIndex(db),
  changes: new SqliteChangeLog(db),
}

parentPort?.postMessage('opened')

/** Answers one call; the thread's entry. */
export default async function answer({ port, method, args }: ThreadCall): Promise<ThreadAnswer> {
  try {
    const target = ports[port] as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>
    return { result: await target[method]?.(...args) }
  } catch (error) {
    if (error instanceof AppError) {
      const { status, code, message, headers } = error
      return { error: { status, code, message, headers, cause: String(error.cause ?? '') } }
    }
    throw error
  }
}
