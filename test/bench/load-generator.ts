/**
 * Sends requests to a service from a process of its own: `generateLoad` starts it, writes a `Load` to its standard input
 * and reads the `PhaseResult`s from its standard output.
 */
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { Random } from '../../services/indexer/seed/random.js'
import type { Load, Phase, PhaseResult, SentRequest } from './generate-load.js'
import { RawConnection } from './raw-connection.js'

/** Clients that send the requests, each with an address of its own: the service shares its capacity among them. */
const clients = 500

const load: Load = JSON.parse(await text(process.stdin))
const random = new Random(load.seed, 'load')
const connections = Array.from({ length: load.sockets }, () => new RawConnection(load.url))
const idle = [...connections]
/** Intended starts of requests that wait for a free connection. */
const waiting: { sinceMs: number; results: SentRequest[] }[] = []
let next = 0
let open = 0

// Node accepts one connection in each turn of its event loop: under load a new one would wait before it is read. The
// connections of a proxy are open and in use already.
await Promise.all(connections.map((connection) => connection.ask('/healthz')))
const results: PhaseResult[] = []
for (const phase of load.phases) {
  results.push(await ('lanes' in phase ? closedLoop(phase) : openLoop(phase)))
}
await untilAnswered()
process.stdout.write(JSON.stringify(results))
for (const connection of connections) {
  connection.close()
}

/** Each lane sends its next request when the one before is answered. */
async function closedLoop({ lanes, seconds }: Extract<Phase, { lanes: number }>): Promise<PhaseResult> {
  const sent: SentRequest[] = []
  const startedMs = performance.now()
  const endMs = startedMs + seconds * 1_000
  await Promise.all(
    connections.slice(0, lanes).map(async (connection) => {
      while (performance.now() < endMs) {
        await send(connection, performance.now(), sent)
      }
    }),
  )
  return { startedMs, endMs: performance.now(), started: sent.length, sent }
}

/**
 * Requests start at random times of a fixed rate, whether or not the ones before are answered. Their latency counts from
 * that time, also while they wait for a free connection.
 */
async function openLoop({ rate, seconds }: Extract<Phase, { rate: number }>): Promise<PhaseResult> {
  const startedMs = performance.now()
  const endMs = startedMs + seconds * 1_000
  const result: PhaseResult = { startedMs, endMs, started: 0, sent: [] }
  for (let dueMs = startedMs; ; dueMs += (-Math.log(1 - random.next()) / rate) * 1_000) {
    while (dueMs > performance.now()) {
      await sleep(Math.min(2, endMs - performance.now()))
      if (performance.now() >= endMs) {
        return result
      }
    }
    if (dueMs >= endMs) {
      return result
    }
    result.started += 1
    const connection = idle.pop()
    if (connection === undefined) {
      waiting.push({ sinceMs: dueMs, results: result.sent })
    } else {
      void sendAll(connection, dueMs, result.sent)
    }
  }
}

/** Sends a request, and then those that wait for a connection. */
async function sendAll(connection: RawConnection, sinceMs: number, sent: SentRequest[]): Promise<void> {
  await send(connection, sinceMs, sent)
  for (let first = waiting.shift(); first !== undefined; first = waiting.shift()) {
    await send(connection, first.sinceMs, first.results)
  }
  idle.push(connection)
}

async function send(connection: RawConnection, sinceMs: number, sent: SentRequest[]): Promise<void> {
  const place = next
  next += 1
  open += 1
  const client = `10.0.${Math.floor((place % clients) / 250)}.${place % 250}`
  const path = load.paths[place % load.paths.length] ?? '/'
  const { status, retryAfter } = await connection.ask(path, `X-Forwarded-For: ${client}\r\n`)
  open -= 1
  sent.push({ sinceMs, latencyMs: performance.now() - sinceMs, status, retryAfter })
}

async function untilAnswered(): Promise<void> {
  const deadline = performance.now() + 10_000
  while (open + waiting.length > 0 && performance.now() < deadline) {
    await sleep(20)
  }
}
