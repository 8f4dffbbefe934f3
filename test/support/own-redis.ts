import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, test } from '@jest/globals'
import { Redis } from 'ioredis'
import { freePort } from './local-server.js'
import { temporaryFolder } from './temporary-folder.js'

/** A Redis that a test may stop and start. */
export interface OwnRedis {
  url: string
  /** Resolves when all that was written is in its append-only file, which it writes later while the disk is busy. */
  persisted(): Promise<void>
  /** As with `kill -9`. */
  kill(): Promise<void>
  /** Starts it again at the same URL, without data. */
  start(): Promise<void>
  /** Suspends its process, and resumes it. */
  freeze(): void
  thaw(): void
  /** Makes it run out of memory without anything to evict, and undoes that. */
  fill(): Promise<void>
  empty(): Promise<void>
}

const redisServerFound = spawnSync('redis-server', ['--version']).status === 0

/** A test that needs a dedicated Redis: skipped, with the reason, when there is no redis-server on PATH. */
export const testWithOwnRedis = (name: string, run: () => Promise<void>, timeoutMs = 120_000): void => {
  if (redisServerFound) {
    test(name, run, timeoutMs)
  } else {
    test.skip(`${name} (redis-server is missing: put it on PATH)`, run)
  }
}

const children = new Set<ChildProcess>()

// Last, so that a test's resources can be closed while its Redis runs.
afterAll(() => Promise.all([...children].map(killChild)))

/**
 * Starts a Redis without persistence, which ends with the test file.
 *
 * @param settings further arguments of redis-server
 */
export async function startOwnRedis(settings: string[] = []): Promise<OwnRedis> {
  const port = await freePort()
  const all = [
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '--save',
    '',
    '--repl-diskless-sync-delay',
    '0',
    ...settings,
  ]
  let child = await spawnRedis(all)
  const url = `redis://127.0.0.1:${port}`
  return {
    url,
    persisted: async () => {
      const redis = new Redis(url)
      while (!/aof_buffer_length:0\r\n/.test(await redis.info('persistence'))) {
        await sleep(20)
      }
      redis.disconnect()
    },
    kill: () => killChild(child),
    start: async () => {
      child = await spawnRedis(all)
    },
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    fill: () => command(url, ['CONFIG', 'SET', 'maxmemory-policy', 'noeviction', 'maxmemory', '1']),
    empty: () => command(url, ['CONFIG', 'SET', 'maxmemory', '0']),
  }
}

async function command(url: string, [name = '', ...words]: string[]): Promise<void> {
  const redis = new Redis(url)
  await redis.call(name, ...words)
  redis.disconnect()
}

/** Starts a redis-server, which ends with the test file. @param settings its arguments */
export async function spawnRedis(settings: string[]): Promise<ChildProcess> {
  const child = spawn('redis-server', settings, { cwd: temporaryFolder(), stdio: ['ignore', 'pipe', 'inherit'] })
  children.add(child)
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    if (/Ready to accept connections|Sentinel ID is/.test(String(chunk))) {
      child.stdout.resume()
      return child
    }
  }
  throw new Error(`redis-server did not start with ${settings.join(' ')}`)
}

async function killChild(child: ChildProcess): Promise<void> {
  children.delete(child)
  if (child.exitCode === null && child.signalCode === null) {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
}
