import { workerData } from 'piscina'
import { BuiltInEmbedder } from '../../../embedding/built-in-embedder.js'
import { readSynonyms } from '../../../ranking/other-words.js'
import { answering } from '../../../runtime/thread-pool.js'
import { catalogIn } from '../sqlite/catalog/catalog.js'
import { changeLogIn } from '../sqlite/change-log/change-log.js'
import { SqliteDatabase } from '../sqlite/database.js'
import { SqliteSearchIndex } from '../sqlite/search/search-index.js'

/** The data that a thread is started with. */
export interface ThreadData {
  file: string
  lockFolder: string
  /** See `SqliteDatabase`. */
  cacheKibibytes: number
  /** See `SharedConfig`. */
  synonymsFile: string | undefined
  /** Names the model of the index's vectors; null: none. */
  model: string | null
}

/** A call of a port's method in a thread. */
export interface ThreadCall {
  port: 'catalog' | 'index' | 'changes' | 'embedder'
  method: string
  args: unknown[]
}

const { file, lockFolder, cacheKibibytes, synonymsFile, model } = workerData as ThreadData
const db = new SqliteDatabase(file, { cacheKibibytes })
const ports = {
  catalog: catalogIn(db, lockFolder),
  index: new SqliteSearchIndex(db, { synonyms: readSynonyms(synonymsFile), model }),
  changes: changeLogIn(db),
  embedder: new BuiltInEmbedder(),
}

/** Answers one call; the entry point of a thread. */
export default answering(({ port, method, args }: ThreadCall) => {
  const target = ports[port] as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>
  return target[method]?.(...args)
})
