import { type IncomingHttpHeaders, request } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll } from '@jest/globals'
import { Registry } from 'prom-client'
import { computeStats } from '../../services/indexer/jobs/compute-stats.js'
import { ingest as ingestDocuments } from '../../services/indexer/jobs/ingest.js'
import { syncIndex } from '../../services/indexer/jobs/sync-index.js'
import { writeDataset } from '../../services/indexer/jobs/write-dataset.js'
import { writeExports } from '../../services/indexer/jobs/write-exports.js'
import type { Job } from '../../services/indexer/runner/job.js'
import type { ManifestSigner } from '../../services/indexer/signing/minisign.js'
import { createApp, type QueryDeps } from '../../services/query/app.js'
import { type ServerTimeouts, startServer } from '../../services/query/request/server.js'
import { loadSample } from '../../services/standalone/greeting.js'
import { MemoryRateLimiter } from '../../shared/adapters/limits/memory-rate-limiter.js'
import type { Stores } from '../../shared/adapters/stores.js'
import type { Catalog } from '../../shared/ports/catalog.js'
import type { ChangeLog } from '../../shared/ports/change-log.js'
import type { DocumentIngest } from '../../shared/ports/document-ingest.js'
import type { ExportStore } from '../../shared/ports/export-store.js'
import type { StoredOrganization, StoredPrompt } from '../../shared/records/records.js'
import type { StoredSkill } from '../../shared/records/skill.js'
import type { EmbedderConfig } from '../../shared/runtime/query-config.js'
import { stateKeys } from '../../shared/state-keys.js'
import { afterTest } from './after-test.js'
import { inDays, openFolder, runOnce } from './run-once.js'
import { copyPrepared, temporaryFolder } from './temporary-folder.js'
import { keptLog } from './test-log.js'

export interface TestAppOptions {
  /** Whether the project's sample is loaded. */
  sample?: boolean
  skills?: StoredSkill[]
  prompts?: StoredPrompt[]
  organizations?: StoredOrganization[]
  /** Differences from the service's own defaults; the rate limits are high unless a test sets them. */
  config?: Partial<QueryDeps['config']>
  /** For how long clients may hold a connection; the service's own default else. */
  timeouts?: ServerTimeouts
  /** The embedder of the indexer and the service; the built-in one by default. */
  embedder?: EmbedderConfig
  /** The folder of the catalog; a new one by default. */
  dataDir?: string
  /** The store of the export files; the embedded one's by default. */
  exports?: ExportStore
  /** The store of the records, and the change log; the embedded ones by default. */
  catalog?: Catalog
  changes?: ChangeLog
  /** Ingests what is put into `catalog`, where that is a database that others may write. */
  ingest?: DocumentIngest
  /** Replacements of the real parts, for instance a backend that fails. */
  replace?: (stores: Stores) => Partial<QueryDeps>
}

/** A complete response. */
export interface TestResponse {
  status: number
  headers: IncomingHttpHeaders
  /** The body as sent, encoded. */
  bytes: Buffer
  /** The body as text, decoded. */
  text: string
  /** The text as JSON; null when it is not. */
  body: unknown
  /** Names of the skills in `data`. */
  names: unknown[]
  ids: string[]
}

export interface TestApp {
  url: string
  stores: Stores
  /** The service's log so far. */
  logLines: Record<string, unknown>[]
  /** The service's metrics as a scrape returns them. */
  metrics(): Promise<string>
  /** Publishes the export files of the catalog. @param signer signs the manifest; default: it is not signed */
  /** @param daysAhead of the clock by which it is published: older snapshots are dropped when they were replaced long ago */
  publishExports(signer?: ManifestSigner | null, daysAhead?: number): Promise<void>
  /** Publishes the files with every record. @param signer as above */
  publishDataset(signer?: ManifestSigner): Promise<void>
  get(path: string, headers?: Record<string, string>): Promise<TestResponse>
  /** Sends a request exactly as given: the path is not normalized as by `fetch`. */
  send(method: string, path: string, headers?: Record<string, string>): Promise<TestResponse>
}

interface OpenedTestApp {
  api: TestApp
  close(): Promise<void>
}

/** The query service on a free port, with real stores in a new folder; it ends with the test. */
export async function startTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const { api, close } = await openTestApp(options)
  afterTest(close)
  return api
}

/**
 * The same for all tests of a block, which only read from it; it ends after the last of them.
 *
 * @param prepare runs once, before the first test
 * @returns gives the app while the tests run
 */
export function sharedTestApp(
  options: TestAppOptions | (() => Promise<TestAppOptions>),
  prepare: (api: TestApp) => Promise<void> = async () => undefined,
): () => TestApp {
  let shared: OpenedTestApp | undefined
  beforeAll(async () => {
    shared = await openTestApp(typeof options === 'function' ? await options() : options)
    await prepare(shared.api)
  })
  afterAll(() => shared?.close())
  return () => {
    if (shared === undefined) {
      throw new Error('the app runs only while the tests do: use it in one')
    }
    return shared.api
  }
}

async function openTestApp(options: TestAppOptions): Promise<OpenedTestApp> {
  const { log, lines } = keptLog()
  const dataDir = options.dataDir ?? temporaryFolder()
  if (options.sample === true) {
    await copyPrepared('sample', fillWithSample, dataDir)
  }
  const embedded = await openFolder(dataDir, { log, embedder: options.embedder })
  const { exports = embedded.exports, catalog = embedded.catalog, changes = embedded.changes, ingest = null } = options
  const stores = { ...embedded, exports, catalog, changes, ingest }
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
      datasetRateLimitPerMinute: 1_000_000,
      ...options.config,
    },
    ...options.replace?.(stores),
  })
  const server = await startServer(app, '127.0.0.1', 0, options.timeouts)
  const send: TestApp['send'] = (method, path, headers) => sendTo(server.url, method, path, headers)
  const api: TestApp = {
    url: server.url,
    stores,
    logLines: lines,
    metrics: () => operations.metrics.metrics(),
    publishExports: (signer, daysAhead) => runJobs(stores, [writeExports], signer, daysAhead),
    publishDataset: (signer) => runJobs(stores, [writeDataset], signer),
    send,
    get: (path, headers) => send('GET', path, headers),
  }
  const close = async () => {
    await server.close(1_000)
    await embedded.close()
  }
  return { api, close }
}

/** Loads the sample into an empty folder. */
async function fillWithSample(dataDir: string): Promise<void> {
  const stores = await openFolder(dataDir)
  await stores.catalog.writeState(stateKeys.sample, { loaded: false })
  await loadSample(stores.catalog)
  await fill(stores, {})
  await stores.close()
}

/** Stores the records, and runs the indexer's jobs for index and statistics. */
async function fill(stores: Stores, { skills = [], prompts = [], organizations = [] }: TestAppOptions): Promise<void> {
  await stores.catalog.put('skills', skills)
  await stores.catalog.put('prompts', prompts)
  await stores.catalog.put('organizations', organizations)
  await runJobs(stores, [...(stores.ingest === null ? [] : [ingestDocuments]), syncIndex, computeStats])
}

async function runJobs(
  stores: Stores,
  jobs: Job[],
  signer: ManifestSigner | null = null,
  daysAhead = 0,
): Promise<void> {
  for (const job of jobs) {
    await runOnce(job, stores, { signer, clock: inDays(daysAhead) })
  }
}

const asJson = { 'Content-Type': 'application/json' }

/** Sends a body, as JSON where it is neither text nor bytes, and reads the whole answer. */
export async function postBody(url: string, body: unknown, headers: Record<string, string> = asJson) {
  const sent = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body)
  const answer = await fetch(url, { method: 'POST', headers, body: sent as BodyInit })
  const text = await answer.text()
  return { status: answer.status, headers: Object.fromEntries(answer.headers), text, body: JSON.parse(text) }
}

/** One request on a connection of its own. @param path or a URL of this service, as its links are */
export function sendTo(
  url: string,
  method: string,
  path: string,
  headers: Record<string, string> = {},
): Promise<TestResponse> {
  return new Promise((resolve, reject) => {
    const { hostname, port, origin } = new URL(url)
    const own = path.startsWith(`${origin}/`) ? path.slice(origin.length) : path
    const sent = request({ hostname, port, method, path: rawBytes(own), headers, agent: false }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const { statusCode: status = 0, headers } = response
        const bytes = Buffer.concat(chunks)
        // A part of a compressed body cannot be decoded.
        const text = (status === 206 ? bytes : unpacked(bytes, headers['content-encoding'])).toString()
        const body = parseJson(text)
        const data = dataOf(body)
        const [names, ids] = [data.map(({ name }) => name), data.map(({ id }) => id)]
        resolve({ status, headers, bytes, text, body, names, ids })
      })
    })
    sent.on('error', reject)
    sent.end()
  })
}

/** Non-ASCII characters as `curl` sends them: their UTF-8 bytes. Spaces are encoded, which every client does. */
const rawBytes = (path: string): string => Buffer.from(path.replaceAll(' ', '%20')).toString('latin1')

function unpacked(bytes: Buffer, encoding: string | undefined): Buffer {
  // A response to HEAD has the encoding without a body.
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

function dataOf(body: unknown): { name: unknown; id: string }[] {
  const data = typeof body === 'object' && body !== null && 'data' in body ? body.data : null
  return Array.isArray(data) ? data : []
}
