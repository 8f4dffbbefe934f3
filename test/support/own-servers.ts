import { afterAll } from '@jest/globals'
import { Redis } from 'ioredis'
import { Meilisearch } from 'meilisearch'
import { afterTest } from './after-test.js'
import {
  meiliKey,
  type RunningServer,
  runRedis,
  type ServerKind,
  servers,
  startMeilisearch,
  startRedis,
  stop,
} from './run-servers.js'
import { testUnless } from './skip.js'
import { temporaryFolder } from './temporary-folder.js'
import { until } from './until.js'

/** A server that a test may stop and start. */
export interface OwnServer {
  url: string
  /** As with `kill -9`. */
  kill(): Promise<void>
  /** Starts it again at the same URL: a Meilisearch with the same data, a Redis without data. */
  start(): Promise<void>
  /** Suspends its process, and resumes it. */
  freeze(): void
  thaw(): void
}

export interface OwnRedis extends OwnServer {
  /** Resolves when all that was written is in its append-only file, which it writes later while the disk is busy. */
  persisted(): Promise<void>
  /** Makes it run out of memory without anything to evict, and undoes that. */
  fill(): Promise<unknown>
  empty(): Promise<unknown>
}

/** Why a test cannot have servers of these kinds; null: it can. */
export function missingServers(...kinds: ServerKind[]): string | null {
  const missing = kinds.filter((kind) => !servers[kind].found())
  return missing.length === 0 ? null : missing.map((kind) => `${kind} is missing: ${servers[kind].remedy}`).join('; ')
}

const testWith =
  (kind: ServerKind) =>
  (name: string, run: () => Promise<void>, timeoutMs = 120_000): void =>
    testUnless(missingServers(kind), name, run, timeoutMs)

/** A test that needs a dedicated server: skipped, with the reason, when there is none on PATH. */
export const testWithOwnRedis = testWith('redis')
export const testWithOwnMeilisearch = testWith('meilisearch')

const ofFile: { kill(): Promise<void> }[] = []

// Last, so that a test's resources can be closed while its servers run.
afterAll(() => Promise.all(ofFile.map((server) => server.kill())))

/** @param start starts the server at a port; 0: a free one */
async function startOwn(start: (port: number) => Promise<RunningServer>): Promise<OwnServer> {
  let { url, child } = await start(0)
  return {
    url,
    kill: () => stop({ child }),
    start: async () => {
      if (child.exitCode !== null || child.signalCode !== null) {
        child = (await start(Number(new URL(url).port))).child
      }
    },
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
  }
}

/**
 * Starts a Redis without persistence, which ends with the test file.
 *
 * @param settings further arguments of redis-server
 */
export async function startOwnRedis(settings: string[] = []): Promise<OwnRedis> {
  const all = ['--repl-diskless-sync-delay', '0', ...settings]
  const own = await startOwn((port) => startRedis(temporaryFolder(), port, all))
  ofFile.push(own)
  return {
    ...own,
    persisted: () => untilRedisSays(own.url, 'aof_buffer_length:0\\r\\n', 'INFO', 'persistence'),
    fill: () => callRedis(own.url, 'CONFIG', 'SET', 'maxmemory-policy', 'noeviction', 'maxmemory', '1'),
    empty: () => callRedis(own.url, 'CONFIG', 'SET', 'maxmemory', '0'),
  }
}

/** Sends a command to a Redis. */
export async function callRedis(url: string, name: string, ...words: string[]): Promise<unknown> {
  const redis = new Redis(url)
  try {
    return await redis.call(name, ...words)
  } finally {
    redis.disconnect()
  }
}

/** Resolves when the reply to a command, as JSON, contains this text. */
export const untilRedisSays = (url: string, text: string, name: string, ...words: string[]): Promise<void> =>
  until(async () => JSON.stringify(await callRedis(url, name, ...words)).includes(text))

/** Starts a Redis Sentinel, which ends with the test file. @param file its configuration */
export async function startOwnSentinel(file: string): Promise<void> {
  const child = await runRedis(temporaryFolder(), [file, '--sentinel'])
  ofFile.push({ kill: () => stop({ child }) })
}

const anyMeilisearch = (settings: string[] = [], folder = temporaryFolder()): Promise<OwnServer> =>
  startOwn((port) => startMeilisearch(folder, port, settings))

/** Starts a Meilisearch, which ends with the test. @param settings further arguments @param folder its data folder */
export async function startOwnMeilisearch(...given: Parameters<typeof anyMeilisearch>): Promise<OwnServer> {
  const own = await anyMeilisearch(...given)
  afterTest(own.kill)
  return own
}

let kept: Promise<[OwnServer, OwnServer, OwnServer]> | undefined

/** Three Meilisearch servers without an index, for all tests of a file; one that a test has killed is started again. */
export async function threeOwnMeilisearches(): Promise<[OwnServer, OwnServer, OwnServer]> {
  if (kept === undefined) {
    kept = Promise.all([anyMeilisearch(), anyMeilisearch(), anyMeilisearch()])
    ofFile.push(...(await kept))
  }
  const three = await kept
  for (const { url, start } of three) {
    await start()
    const client = new Meilisearch({ host: url, apiKey: meiliKey })
    for (const { uid } of (await client.getRawIndexes()).results) {
      await client.deleteIndex(uid).waitTask()
    }
  }
  return three
}
