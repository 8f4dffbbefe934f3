/**
 * Sends requests to a service over raw connections, in a closed or an open loop. A process of its own, driven by messages
 * of `load.ts`.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Random } from '../../services/indexer/seed/random.js'
import type { ClosedLoad, ClosedResult, OpenLoad, PhaseResult, SentRequest } from './load.js'
import { RawConnection } from './raw-connection.js'

process.on('message', async (load: ClosedLoad | OpenLoad) => {
  const connections = Array.from({ length: load.connections }, () => new RawConnection(load.url))
  // Node accepts one connection in each turn of its event loop: under load a new one would wait before it is read. The
  // connections of a proxy are open and in use already.
  await Promise.all(connections.map((connection) => connection.ask('/healthz')))
  process.send?.(await ('rates' in load ? openLoop(load, connections) : closedLoop(load, connections)))
  for (const connection of connections) {
    connection.close()
  }
})

async function closedLoop(
  { requests, status, durationMs }: ClosedLoad,
  connections: RawConnection[],
): Promise<ClosedResult> {
  const result: ClosedResult = { answers: 0, bytes: 0, durationMs: 0, otherStatus: null }
  const receivedBytes = () => connections.reduce((sum, connection) => sum + connection.receivedBytes, 0)
  const prepared = requests.map(({ path, headers = {} }) => ({ path, headers: headerLines(headers) }))
  const next = inTurn(prepared)
  const bytesBefore = receivedBytes()
  const startedMs = performance.now()
  let isOver = false
  const loops = connections.map(async (connection) => {
    while (!isOver) {
      const { path, headers } = next()
      const answer = await connection.ask(path, headers)
      if (isOver) {
        return
      }
      if (answer.status === status) {
        result.answers += 1
      } else {
        result.otherStatus ??= answer.status
      }
    }
  })
  await sleep(durationMs)
  isOver = true
  result.bytes = receivedBytes() - bytesBefore
  result.durationMs = performance.now() - startedMs
  await Promise.all(loops)
  return result
}

/** The latency of a request counts from its intended start, also while it waits for a free connection. */
async function openLoop(load: OpenLoad, connections: RawConnection[]): Promise<PhaseResult[]> {
  const random = new Random(load.seed, 'load')
  const next = inTurn(load.requests)
  const idle = [...connections]
  /** Intended starts of requests that wait for a free connection. */
  const waiting: { sinceMs: number; sent: SentRequest[] }[] = []
  let [started, open] = [0, 0]

  const send = async (connection: RawConnection, sinceMs: number, sent: SentRequest[]) => {
    const client = started % load.clients
    started += 1
    open += 1
    const { path, headers } = next()
    const from = { 'X-Forwarded-For': `10.0.${Math.floor(client / 250)}.${client % 250}` }
    const { status, retryAfter } = await connection.ask(path, headerLines({ ...headers, ...from }))
    open -= 1
    sent.push({ sinceMs, latencyMs: performance.now() - sinceMs, status, retryAfter })
  }
  /** Sends a request, and then those that wait for a connection. */
  const sendAll = async (connection: RawConnection, sinceMs: number, sent: SentRequest[]) => {
    await send(connection, sinceMs, sent)
    for (let first = waiting.shift(); first !== undefined; first = waiting.shift()) {
      await send(connection, first.sinceMs, first.sent)
    }
    idle.push(connection)
  }
  const phase = async (rate: number): Promise<PhaseResult> => {
    const startedMs = performance.now()
    const endMs = startedMs + load.phaseSeconds * 1_000
    const result: PhaseResult = { startedMs, endMs, started: 0, sent: [] }
    for (let sinceMs = startedMs; sinceMs < endMs; sinceMs += (-Math.log(1 - random.next()) / rate) * 1_000) {
      while (sinceMs > performance.now()) {
        await sleep(Math.min(2, endMs - performance.now()))
      }
      result.started += 1
      const connection = idle.pop()
      if (connection === undefined) {
        waiting.push({ sinceMs, sent: result.sent })
      } else {
        void sendAll(connection, sinceMs, result.sent)
      }
    }
    await sleep(Math.max(0, endMs - performance.now()))
    return result
  }

  const results: PhaseResult[] = []
  for (const rate of load.rates) {
    results.push(await phase(rate))
  }
  for (const deadline = performance.now() + 10_000; open + waiting.length > 0 && performance.now() < deadline; ) {
    await sleep(20)
  }
  return results
}

const headerLines = (headers: Record<string, string>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')

/** @returns the next element, after the last one the first */
function inTurn<T>(list: T[]): () => T {
  let next = 0
  return () => {
    next += 1
    return list[(next - 1) % list.length] as T
  }
}
