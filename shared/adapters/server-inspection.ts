/** What a server says about itself. */
interface ServerFacts {
  version: string
  /** Milliseconds that its clock is ahead of this machine's; negative: behind. Null: it does not report its time. */
  clockAheadMs: number | null
}

export interface MongodbFacts extends ServerFacts {
  /**
   * Whether it reports writes of other applications at once, which replica sets and sharded clusters do: `works`: a change
   * stream was opened; `standalone`: it has none; otherwise why opening one failed.
   */
  changeStreams: string
}

export interface MeilisearchFacts extends ServerFacts {
  /** Names of the settings of the live index that are not the expected ones; null: there is no live index. */
  differentSettings: string[] | null
}

export interface RedisFacts extends ServerFacts {
  /** `maxmemory-policy`. */
  evictionPolicy: string
}

/**
 * Looks at each server of a catalog.
 *
 * Each method throws an AppError with an operator's message when the server does not answer, or refuses access.
 */
export interface ServerInspection {
  mongodb(): Promise<MongodbFacts>
  /** Each server of `MEILI_URL`. */
  meilisearch: { address: string; inspect(): Promise<MeilisearchFacts> }[]
  /** The Redis of the jobs. */
  redis(): Promise<RedisFacts>
  /** The Redis of the limits, where it is another one; else null. */
  limitsRedis: (() => Promise<RedisFacts>) | null
  close(): Promise<void>
}
