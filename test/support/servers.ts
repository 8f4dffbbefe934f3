import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads'
import { beforeAll, describe, test } from '@jest/globals'
import { meiliKey, type ServerKind, servers, startMs } from './run-servers.js'

export { meiliKey }

/** How long the MongoDB stand-in may be compiled for, the first time and on a busy machine. */
const compileMs = 90_000

/**
 * Defines tests that need a server: the one whose URL is in the environment, otherwise one that all test files of this
 * process share, emptied for this block; if neither is available, a skipped test says so. A test that stops or fills a
 * server starts a dedicated one.
 *
 * @param define defines the tests; `url` returns the server's address once they run
 */
export function whenServer(kind: ServerKind, define: (url: () => string) => void): void {
  const { variable, found, remedy } = servers[kind]
  const named = process.env[variable]
  if (named) {
    describe(`with ${kind}`, () => define(() => named))
    return
  }
  if (!found()) {
    test.skip(`${kind} is missing: set ${variable}, or ${remedy}`, () => {})
    return
  }
  describe(`with ${kind}`, () => {
    let shared: string | undefined
    beforeAll(async () => {
      shared = await sharedServer(kind)
    }, compileMs + startMs)
    define(() => {
      if (shared === undefined) {
        throw new Error(`${kind} runs only while the tests do: ask for its address inside of one`)
      }
      return shared
    })
  })
}

/**
 * A server that all test files of this process share. It is started when the first of them needs it, and ends with the
 * process.
 *
 * @returns its URL; data of earlier files is deleted, or in other databases
 */
async function sharedServer(kind: ServerKind): Promise<string> {
  const known = knownServer(kind)
  if (known !== undefined) {
    await empty[kind](known)
    return known
  }
  const folder = mkdtempSync(join(tmpdir(), 'skill-catalog-server-'))
  const { url, child } = await servers[kind].start(folder)
  endWithThisProcess(child, folder)
  setEnvironmentData(keyOf(kind), url)
  return url
}

/** The URL of the shared server of a kind; undefined: not started yet. */
export function knownServer(kind: ServerKind): string | undefined {
  const known = getEnvironmentData(keyOf(kind))
  return typeof known === 'string' ? known : undefined
}

/** Jest gives each test file its own modules and globals; the table with this key belongs to the thread. */
const keyOf = (kind: ServerKind): string => `server for tests: ${kind}`

/** Deletes the data of earlier test files. Clients are imported on demand, since each file pays for an import. */
const empty: Record<ServerKind, (url: string) => Promise<void>> = {
  // Each test uses a fresh database.
  mongodb: async () => undefined,
  redis: async (url) => {
    const { Redis } = await import('ioredis')
    const redis = new Redis(url)
    await redis.flushall()
    redis.disconnect()
  },
  meilisearch: async (host) => {
    const { Meilisearch } = await import('meilisearch')
    const client = new Meilisearch({ host, apiKey: meiliKey })
    await client.tasks.cancelTasks({ statuses: ['enqueued', 'processing'] }).waitTask()
    const { results } = await client.getRawIndexes({ limit: 1_000 })
    for (const { uid } of results) {
      await client.deleteIndex(uid).waitTask()
    }
  },
}

/** Ends a server and deletes its folder when this process ends, for any reason; neither keeps the process alive. */
function endWithThisProcess(child: ChildProcess, folder: string): void {
  // Its standard input ends with this process. In its own process group, Ctrl-C does not end it too early.
  const script = 'read -r _; kill -9 "$0"; rm -rf "$1"'
  const watcher = spawn('sh', ['-c', script, String(child.pid), folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  for (const each of [child, watcher]) {
    each.unref()
    for (const stream of each.stdio) {
      if (stream instanceof Socket) {
        stream.unref()
      }
    }
  }
}
