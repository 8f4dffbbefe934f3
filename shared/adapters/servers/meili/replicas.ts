import type { StateStore } from '../../../ports/catalog.js'
import type { ChangeLog } from '../../../ports/change-log.js'
import type { IndexReplica, RelatedSkill, SearchIndex, SearchPage, SearchQuery } from '../../../ports/search-index.js'
import type { Skill } from '../../../records/skill.js'
import { type AppError, indexBeingBuilt } from '../../../runtime/errors.js'
import { readSyncPosition } from '../../../state-keys.js'
import { isOutage } from './client.js'

/** Milliseconds for a search at all servers that it asks: less than the query service's timeout of 5 s. */
const searchTimeoutMs = 4_500

/** The part of it for one server: another one can be asked after it, also where a busy machine notices its end late. */
export const attemptTimeoutMs = 2_000

/** Milliseconds from one look at the servers to the next. */
const lookEveryMs = 5_000

/** Where no server can be asked, the next look comes sooner. */
const lookAgainMs = 1_000

/**
 * A server that lacks a change which another one has had for this long is not asked. A sync takes 2 s at most: with less,
 * a burst of changes would leave all searches to one server; with more, a hidden skill would be found for longer.
 */
const maxLagMs = 10_000

/** A server, as the last look found it. */
interface Server {
  replica: IndexReplica
  inFlight: number
  /** Null: it has not answered yet. */
  documents: number | null
  isLagging: boolean
}

/** What the positions of the servers are read from. */
export interface Positions {
  catalog: Pick<StateStore, 'readState'>
  changes: Pick<ChangeLog, 'after'>
}

/**
 * Reads the same index on several servers. A search goes to the one with the fewest requests in flight; where that one
 * fails, to another one. None is asked that lags, or is empty while another one is not.
 */
export class ReplicatedIndex implements SearchIndex {
  readonly #servers: Server[]
  #positions: Positions | null = null
  /** The last look, or the running one. */
  #looked: { atMs: number; look: Promise<unknown> } | null = null
  #looking: NodeJS.Timeout | undefined

  constructor(replicas: readonly IndexReplica[]) {
    this.#servers = replicas.map((replica) => ({ replica, inFlight: 0, documents: null, isLagging: false }))
  }

  /** Looks at all servers, and again every few seconds until `close`. Never throws. */
  async follow(positions: Positions): Promise<void> {
    this.#positions = positions
    this.#looking = setInterval(() => void this.#look(), lookEveryMs).unref()
    await this.#look()
  }

  search(query: SearchQuery): Promise<SearchPage> {
    return this.#ask((replica) => replica.search(query))
  }

  suggest(text: string, limit: number): Promise<Skill[]> {
    return this.#ask((replica) => replica.suggest(text, limit))
  }

  related(id: string, limit: number): Promise<RelatedSkill[]> {
    return this.#ask((replica) => replica.related(id, limit))
  }

  status(): Promise<{ documents: number; settings: string | null }> {
    return this.#ask((replica) => replica.status())
  }

  async close(): Promise<void> {
    clearInterval(this.#looking)
    await Promise.all(this.#servers.map(({ replica }) => replica.close()))
  }

  /** Asks one server, and others while it fails and time is left. */
  async #ask<T>(ask: (replica: IndexReplica) => Promise<T>): Promise<T> {
    const startedMs = performance.now()
    const tried = new Set<Server>()
    let failure: AppError | null = null
    for (;;) {
      const [server] = this.#fit(tried)
      if (server === undefined) {
        // One that lagged or was empty may have been filled since the last look.
        if (await this.#findsMore(tried)) {
          continue
        }
        throw failure ?? indexBeingBuilt()
      }
      tried.add(server)
      server.inFlight += 1
      try {
        return await ask(server.replica)
      } catch (error) {
        if (!isOutage(error) || performance.now() - startedMs > searchTimeoutMs - attemptTimeoutMs) {
          throw error
        }
        failure = error
      } finally {
        server.inFlight -= 1
      }
    }
  }

  /** The servers that may be asked, the one to ask first first. */
  #fit(tried: Set<Server>): Server[] {
    const isFilled = this.#servers.some(({ documents }) => (documents ?? 0) > 0)
    const fit = this.#servers.filter(({ documents, isLagging }) => !isLagging && !(isFilled && documents === 0))
    return fit.filter((server) => !tried.has(server)).sort((a, b) => load(a) - load(b))
  }

  /** Looks at the servers, unless that was done a moment ago. @returns whether there is one to ask now */
  async #findsMore(tried: Set<Server>): Promise<boolean> {
    if (this.#positions === null) {
      return false
    }
    const isOld = this.#looked === null || performance.now() - this.#looked.atMs > lookAgainMs
    await (isOld ? this.#look() : this.#looked?.look)
    return this.#fit(tried).length > 0
  }

  #look(): Promise<unknown> {
    const looks = this.#servers.map(async (server) => {
      const status = await server.replica.status().catch(() => null)
      server.documents = status?.documents ?? server.documents
    })
    const look = Promise.all([this.#lookForLags(), ...looks])
    this.#looked = { atMs: performance.now(), look }
    return look
  }

  /** While the positions cannot be read, what the last look found stays. */
  async #lookForLags(): Promise<void> {
    if (this.#positions === null) {
      return
    }
    const { catalog, changes } = this.#positions
    try {
      const found = await Promise.all(
        this.#servers.map(async (server) => ({
          server,
          position: (await readSyncPosition(catalog, server.replica)) ?? 0,
        })),
      )
      const newest = Math.max(...found.map(({ position }) => position))
      for (const { server, position } of found) {
        const [lacked] = position === newest ? [] : (await changes.after(position, 1)).changes
        server.isLagging = lacked !== undefined && Date.now() - Date.parse(lacked.changedAt) > maxLagMs
      }
    } catch {
      // The catalog's own calls report that it does not answer.
    }
  }
}

/** Requests in flight; a server that has failed lately comes last. */
const load = ({ replica, inFlight }: Server): number => inFlight + (replica.isFailing ? 1_000_000 : 0)
