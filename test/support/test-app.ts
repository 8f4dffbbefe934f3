import { type IncomingHttpHeaders, request } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterEach } from '@jest/globals'
import { Registry } from 'prom-client'
import type { Job } from '../../services/indexer/job.js'
import { computeStats } from '../../services/indexer/jobs/compute-stats.js'
import { logChanges } from '../../services/indexer/jobs/log-changes.js'
import { syncSkills } from '../../services/indexer/jobs/sync-skills.js'
import { writeExports } from '../../services/indexer/jobs/write-exports.js'
import { runJob } from '../../services/indexer/run-job.js'
import { createApp, type QueryDeps } from '../../services/query/app.js'
import { type Patience, startServer } from '../../services/query/server.js'
import { loadSample } from '../../services/standalone/load-sample.js'
import { MemoryRateLimiter } from '../../shared/adapters/embedded/memory-rate-limiter.js'
import { openStores, type Stores } from '../../shared/adapters/open.js'
import type { CatalogStore } from '../../shared/ports/catalog-store.js'
import type { ChangeLog } from '../../shared/ports/change-log.js'
import type { ExportStore } from '../../shared/ports/export-store.js'
import type { StoredOrganization } from '../../shared/records/organization.js'
import type { StoredPrompt } from '../../shared/records/prompt.js'
import type { StoredSkill } from '../../shared/records/skill.js'
import { temporaryFolder } from './temporary-folder.js'
import { keptLog, silentLog } from './test-log.js'

export interface TestAppOptions {
  /** Whether the sample that comes with the project is loaded. */
  sample?: boolean
  skills?: StoredSkill[]
  prompts?: StoredPrompt[]
  organizations?: StoredOrganization[]
  /** Differences from the service's own defaults; the limits are out of the way unless a test is about them. */
  config?: Partial<QueryDeps['config']>
  /** For how long clients may hold a connection; the service's own default else. */
  patience?: Patience
  /** The store of the export files; the embedded one's by default. */
  exports?: ExportStore
  /** The store of the records, and the change log; the embedded ones by default. */
  catalog?: CatalogStore
  changes?: ChangeLog
  /** Parts put in the place of the real ones, for instance a backend that fails. */
  replace?: (stores: Stores) => Partial<QueryDeps>
}

/** An answer, read to its end. */
export interface TestAnswer {
  status: number
  headers: IncomingHttpHeaders
  /** The body as it was sent. */
  bytes: Buffer
  /** The body as text, unpacked. */
  text: string
  /** The text as JSON; null when it is not. */
  body: unknown
  /** Names of the skills in `data`. */
  names: unknown[]
}

export interface TestApp {
  url: string
  stores: Stores
  /** The service's log so far. */
  logLines: Record<string, unknown>[]
  /** The service's metrics, as they are scraped. */
  metrics(): Promise<string>
  /** Publishes the export files of what is in the catalog. */
  publishExports(): Promise<void>
  get(path: string, headers?: Record<string, string>): Promise<TestAnswer>
  /** Sends a request exactly as given: the path is not tidied up as `fetch` would. */
  send(method: string, path: string, headers?: Record<string, string>): Promise<TestAnswer>
}

const cleanups: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) {
    await cleanup()
  }
})

/** The query service on a free port, over real stores in a folder of its own; it ends with the test. */
export async function startTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const { log, lines } = keptLog()
  const shared = { mode: 'embedded', dataDir: temporaryFolder(), logLevel: 'silent' } as const
  const opened = await openStores(shared, { threads: false, writes: true, patienceMs: 0, log })
  cleanups.push(() => opened.close())
  const { exports = opened.exports, catalog = opened.catalog, changes = opened.changes } = options
  const stores = { ...opened, exports, catalog, changes }
  await fill(stores, options)
  const operations = { metrics: new Registry(), watch: () => undefined }
  const app = createApp({
    ...stores,
    rateLimiter: new MemoryRateLimiter(),
    log,
    operations,
    config: {
      publicUrl: null,
      trustedProxies: 0,
      rateLimitPerMinute: 1_000_000,
      exportRateLimitPerMinute: 1_000_000,
      ...options.config,
    },
    ...options.replace?.(stores),
  })
  const server = await startServer(app, '127.0.0.1', 0, options.patience)
  cleanups.push(() => server.close(1_000))
  const send: TestApp['send'] = (method, path, headers) => sendTo(server.url, method, path, headers)
  return {
    url: server.url,
    stores,
    logLines: lines,
    metrics: () => operations.metrics.metrics(),
    publishExports: () => runJobs(stores, [writeExports]),
    send,
    get: (path, headers) => send('GET', path, headers),
  }
}

/** Puts the records, and has the indexer's own jobs bring index and statistics up to date. */
async function fill(
  stores: Stores,
  { sample = false, skills = [], prompts = [], organizations = [] }: TestAppOptions,
): Promise<void> {
  if (sample) {
    await loadSample(stores.catalog)
  }
  await stores.catalog.put('skills', skills)
  await stores.catalog.put('prompts', prompts)
  await stores.catalog.put('organizations', organizations)
  await runJobs(stores, [syncSkills, logChanges, computeStats])
}

async function runJobs(stores: Stores, jobs: Job[]): Promise<void> {
  for (const job of jobs) {
    await runJob(job, {
      ...stores,
      changesKeptDays: 90,
      log: silentLog(),
      signal: new AbortController().signal,
      clock: () => new Date(),
    })
  }
}

/** One request on a connection of its own. */
export function sendTo(
  url: string,
  method: string,
  path: string,
  headers: Record<string, string> = {},
): Promise<TestAnswer> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    const sent = request({ hostname, port, method, path: rawBytes(path), headers, agent: false }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const { statusCode: status = 0, headers } = response
        const bytes = Buffer.concat(chunks)
        // A part of what was packed cannot be unpacked.
        const text = (status === 206 ? bytes : unpacked(bytes, headers['content-encoding'])).toString()
        const body = parseJson(text)
        resolve({ status, headers, bytes, text, body, names: namesOf(body) })
      })
    })
    sent.on('error', reject)
    sent.end()
  })
}

/** Characters beyond ASCII as `curl` sends them: their UTF-8 bytes. Spaces are encoded, which every client does. */
const rawBytes = (path: string): string => Buffer.from(path.replaceAll(' ', '%20')).toString('latin1')

function unpacked(bytes: Buffer, encoding: string | undefined): Buffer {
  // An answer to HEAD has the encoding without the bytes.
  if (encoding === undefined || bytes.length === 0) {
    return bytes
  }
  return encoding === 'br' ? brotliDecompressSync(bytes) : gunzipSync(bytes)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function namesOf(body: unknown): unknown[] {
  const data = typeof body === 'object' && body !== null && 'data' in body ? body.data : null
  return Array.isArray(data) ? data.map((skill: { name?: unknown }) => skill.name) : []
}
