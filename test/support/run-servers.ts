import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { projectRoot } from '../../shared/runtime/project-root.js'
import { endsWithUs } from './children.js'
import { freePort } from './local-server.js'
import { onPath } from './on-path.js'

/** The kinds of servers. */
export type ServerKind = 'mongodb' | 'redis' | 'meilisearch'

/** The master key of the Meilisearch that tests use. */
export const meiliKey = process.env['MEILI_KEY'] ?? 'a-key-that-only-tests-know'

const standInFolder = join(projectRoot(), 'infra', 'mongo-stand-in')

/** Where Maven puts the stand-in's libraries. */
const standInLibraries = join(standInFolder, 'target', 'lib')

/** How long a server may take until it answers. */
export const startMs = 30_000

/** A server that this process has started. */
export interface RunningServer {
  url: string
  child: ChildProcess
}

interface Server {
  /** The variable with the URL of a running server. */
  variable: string
  /** Whether the server can be started here. */
  found: () => boolean
  /**
   * @param folder an empty one for its data
   * @param isMeasured true for benchmarks: the stand-in then compiles what runs often as well as it can. That pays off
   * after some ten thousand writes, and costs more before
   */
  start: (folder: string, isMeasured?: boolean) => Promise<RunningServer>
  /** How to install it. */
  remedy: string
}

/** The servers of tests and benchmarks, and how each is started when no URL is set. */
export const servers: Record<ServerKind, Server> = {
  mongodb: {
    variable: 'MONGODB_URL',
    found: () => onPath('java') !== null && existsSync(standInLibraries),
    start: (_folder, isMeasured) => startMongoStandIn(undefined, isMeasured),
    remedy: 'install Java 17 and run `mvn -q dependency:copy-dependencies` in infra/mongo-stand-in',
  },
  redis: {
    variable: 'REDIS_URL',
    found: () => onPath('redis-server') !== null,
    start: (folder) => startRedis(folder),
    remedy: 'put redis-server on PATH',
  },
  meilisearch: {
    variable: 'MEILI_URL',
    found: () => onPath('meilisearch') !== null,
    start: (folder) => startMeilisearch(folder),
    remedy: 'put meilisearch on PATH',
  },
}

/**
 * Compiles the MongoDB stand-in unless these sources are compiled already: otherwise Java would compile them at each
 * start, which takes longer than the start itself.
 *
 * @returns the class path to run it with
 */
async function compileStandIn(): Promise<string> {
  const sources = readdirSync(join(standInFolder, 'src'))
    .sort()
    .map((name) => join(standInFolder, 'src', name))
  const hash = createHash('sha256')
  for (const source of sources) {
    hash.update(readFileSync(source))
  }
  const target = join(standInFolder, 'target')
  const classes = join(target, `classes-${hash.digest('hex').slice(0, 16)}`)
  const libraries = readdirSync(standInLibraries).map((name) => join(standInLibraries, name))
  if (!existsSync(classes)) {
    const made = mkdtempSync(join(target, 'compiling-'))
    // A runtime without development tools has the compiler's module, but no `javac`.
    const compiler = ['-XX:TieredStopAtLevel=1', '-m', 'jdk.compiler/com.sun.tools.javac.Main']
    await promisify(execFile)('java', [...compiler, '-cp', libraries.join(delimiter), '-d', made, ...sources])
    try {
      renameSync(made, classes)
    } catch {
      // Another process has compiled the same sources in the meantime.
      rmSync(made, { recursive: true })
    }
  }
  return [classes, ...libraries].join(delimiter)
}

/**
 * Starts a server, which ends with this process.
 *
 * @param folder for its data; it is made where it is missing
 * @param isMeasured see `Server`
 * @throws Error with the remedy where the server is missing
 */
export async function startServer(kind: ServerKind, folder: string, isMeasured?: boolean): Promise<RunningServer> {
  const { found, remedy, start } = servers[kind]
  if (!found()) {
    throw new Error(`${kind} is missing: ${remedy}`)
  }
  mkdirSync(folder, { recursive: true })
  const server = await start(folder, isMeasured)
  endsWithUs(server.child)
  return server
}

/**
 * @param oplogWrites the number of writes that change streams can go back to; 0: a standalone server, without any
 * @param isMeasured see `Server`
 */
export async function startMongoStandIn(oplogWrites?: number, isMeasured = false): Promise<RunningServer> {
  // Tests run several of them at once. In 512 MB a benchmark's catalog and its oplog leave hardly any room for garbage.
  const limits = isMeasured ? ['-Xmx2g'] : ['-Xmx512m', '-XX:TieredStopAtLevel=1']
  const settings = [...limits, '-XX:+UseSerialGC', '-cp', await compileStandIn()]
  const oplog = oplogWrites === undefined ? [] : [String(oplogWrites)]
  const child = spawn('java', [...settings, 'MongoStandIn', '0', ...oplog], { cwd: standInFolder })
  const said = await untilItSays(child, 'the MongoDB stand-in', /mongodb:\/\/[\d.]+:\d+/)
  return { url: said, child }
}

/**
 * Starts a Redis without persistence.
 *
 * @param folder its working folder
 * @param port a free one where it is 0
 * @param settings further arguments
 */
export async function startRedis(folder: string, port = 0, settings: string[] = []): Promise<RunningServer> {
  const own = port === 0 ? await freePort() : port
  const child = await runRedis(folder, ['--save', '', '--port', String(own), '--bind', '127.0.0.1', ...settings])
  return { url: `redis://127.0.0.1:${own}`, child }
}

/** Runs a redis-server with these arguments: a Redis or a sentinel. */
export async function runRedis(folder: string, args: string[]): Promise<ChildProcess> {
  const child = spawn('redis-server', args, { cwd: folder })
  await untilItSays(child, 'redis-server', /Ready to accept connections|Sentinel ID is/)
  return child
}

/**
 * @param folder its data folder
 * @param port a free one where it is 0
 * @param settings further arguments
 */
export async function startMeilisearch(folder: string, port = 0, settings: string[] = []): Promise<RunningServer> {
  const address = `127.0.0.1:${port === 0 ? await freePort() : port}`
  const own = ['--http-addr', address, '--master-key', meiliKey, '--db-path', join(folder, 'db')]
  // By default each batch, however small, prepares buffers that are a share of the machine's memory: a second of work.
  const small = ['--no-analytics', '--max-indexing-memory', '128MiB']
  const child = spawn('meilisearch', [...small, ...own, ...settings], { cwd: folder })
  const url = `http://${address}`
  let ended = false
  child.once('close', () => {
    ended = true
  })
  const output = keepOutput(child)
  for (const deadline = Date.now() + startMs; ; await sleep(50)) {
    if (
      await fetch(`${url}/health`).then(
        (response) => response.ok,
        () => false,
      )
    ) {
      return { url, child }
    }
    if (ended || Date.now() > deadline) {
      await stop({ child })
      throw new Error(`meilisearch did not start:\n${output()}`)
    }
  }
}

/** Resolves with the match; rejects, and stops the process, when it ends before or on timeout. */
async function untilItSays(child: ChildProcess, name: string, pattern: RegExp): Promise<string> {
  const output = keepOutput(child)
  try {
    return await new Promise<string>((resolve, reject) => {
      const fail = (how: string) => reject(new Error(`${name} ${how}:\n${output()}`))
      const timer = setTimeout(() => fail(`did not start within ${startMs} ms`), startMs)
      const look = () => {
        const found = pattern.exec(output())
        if (found !== null) {
          clearTimeout(timer)
          resolve(found[0])
        }
      }
      child.stdout?.on('data', look)
      child.once('close', (code, signal) => {
        clearTimeout(timer)
        fail(`ended (${signal ?? code}) before it was ready`)
      })
      child.once('error', (error) => fail(`could not be started (${error.message})`))
    })
  } catch (error) {
    await stop({ child })
    throw error
  }
}

function keepOutput(child: ChildProcess): () => string {
  let output = ''
  const keep = (chunk: Buffer) => {
    // Enough to see why it did not start.
    output = `${output}${chunk}`.slice(-20_000)
  }
  child.stdout?.on('data', keep)
  child.stderr?.on('data', keep)
  return () => output
}

/** Ends a server at once. */
export async function stop({ child }: Pick<RunningServer, 'child'>): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) {
    return
  }
  // Its data is not needed any more.
  const closed = new Promise((resolve) => child.once('close', resolve))
  child.kill('SIGKILL')
  await closed
}
