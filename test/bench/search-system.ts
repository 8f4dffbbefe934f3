import { Agent, type ClientRequest, type OutgoingHttpHeaders, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RunningProcess } from './processes.js'

/** A system that answers searches, to be compared with others. */
export interface SearchSystem {
  name: string
  /** Whether the others are compared with this one. */
  isBaseline?: boolean
  openLane(): Lane
}

/** A system, with the process and the data of which it consists; null: nothing that can be measured apart. */
export interface OccupyingSystem extends SearchSystem {
  process: Pick<RunningProcess, 'memory'> | null
  path: string | null
}

/** A connection to a system that carries one search at a time. */
export interface Lane {
  /**
   * Sends a search and reads the whole answer.
   *
   * @returns false when the system refused it, for instance because it is busy
   */
  ask(query: string): Promise<boolean>
  close(): void
}

/** A search as an HTTP request; with a body it is posted. */
export interface SearchRequest {
  path: string
  body?: string
  headers?: OutgoingHttpHeaders
}

/** A search of the catalog's API: by words and meaning, unless another mode is named. */
export const catalogSearch =
  (mode?: 'keyword' | 'semantic') =>
  (query: string): SearchRequest => ({
    path: `/api/v1/skills/search?q=${encodeURIComponent(query)}${mode === undefined ? '' : `&mode=${mode}`}`,
  })

/** A completion of the catalog's API. */
export const catalogSuggest = (query: string): SearchRequest => ({
  path: `/api/v1/skills/suggest?q=${encodeURIComponent(query)}`,
})

/** A system over HTTP: each lane is one keep-alive connection. */
export const httpSystem = (name: string, url: string, requestOf: (query: string) => SearchRequest): SearchSystem => ({
  name,
  openLane() {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    return { ask: (query) => send(agent, url, requestOf(query)), close: () => agent.destroy() }
  },
})

/** Sends a search. @returns the milliseconds until the whole answer was read */
export async function timed(lane: Lane, query: string): Promise<{ ms: number; answered: boolean }> {
  const startedAt = performance.now()
  const answered = await lane.ask(query)
  return { ms: performance.now() - startedAt, answered }
}

/** Sends searches one after the other. @returns the milliseconds of each */
export async function searchTimes(lane: Lane, queries: string[]): Promise<number[]> {
  const times: number[] = []
  for (const query of queries) {
    times.push((await timed(lane, query)).ms)
  }
  return times
}

/** @throws Error for an answer that no overload explains: the benchmark itself is wrong then */
function send(agent: Agent, url: string, search: SearchRequest): Promise<boolean> {
  const { path, body, headers = {} } = search
  return new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST'
    const sent = request(`${url}${path}`, { agent, headers, method }, (answer) => {
      const { statusCode = 0 } = answer
      if (statusCode !== 200 && statusCode < 500) {
        reject(new Error(`${url}${path} answered ${statusCode}`))
      }
      answer
        .on('error', reject)
        .on('end', () => resolve(statusCode === 200))
        .resume()
    })
    sent.on('error', (error) =>
      isClosedWhileIdle(sent, error) ? send(agent, url, search).then(resolve, reject) : reject(error),
    )
    sent.end(body)
  })
}

/** A server may close an idle connection at the moment in which a request is sent on it. */
const isClosedWhileIdle = (sent: ClientRequest, error: NodeJS.ErrnoException): boolean =>
  sent.reusedSocket && error.code === 'ECONNRESET'

/**
 * Searches by words, again and again, until a skill is found.
 *
 * @throws Error when it is not found in time
 */
export async function untilFound(
  url: string,
  words: string,
  id: string,
  { everyMs, withinMs }: { everyMs: number; withinMs: number },
): Promise<void> {
  for (const deadline = performance.now() + withinMs; ; await sleep(everyMs)) {
    const response = await fetch(`${url}/api/v1/skills/search?mode=keyword&q=${encodeURIComponent(words)}`)
    const { data } = (await response.json()) as { data?: { id: string }[] }
    if (data?.some((hit) => hit.id === id)) {
      return
    }
    if (performance.now() > deadline) {
      throw new Error(`${id} was not found within ${withinMs / 1_000} s of its change`)
    }
  }
}
