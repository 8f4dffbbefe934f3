import { afterAll, afterEach, test } from '@jest/globals'
import { Meilisearch } from 'meilisearch'
import { meiliKey, type RunningServer, servers, startMeilisearch, stop } from './run-servers.js'
import { temporaryFolder } from './temporary-folder.js'

/** A Meilisearch that a test may stop and start. */
export interface OwnMeilisearch {
  url: string
  /** As with `kill -9`. */
  kill(): Promise<void>
  /** Starts it again at the same URL, with the same data. */
  start(): Promise<void>
  /** Suspends its process, and resumes it. */
  freeze(): void
  thaw(): void
}

const { found, remedy } = servers.meilisearch

/** A test that needs a dedicated Meilisearch: skipped, with the reason, when there is none on PATH. */
export const testWithOwnMeilisearch = (name: string, run: () => Promise<void>, timeoutMs = 120_000): void => {
  if (found()) {
    test(name, run, timeoutMs)
  } else {
    test.skip(`${name} (meilisearch is missing: ${remedy})`, run)
  }
}

const running = new Set<RunningServer>()
const lasting = new Set<RunningServer>()

const stopAll = async (servers: Set<RunningServer>) => {
  await Promise.all([...servers].map(stop))
  servers.clear()
}
afterEach(() => stopAll(running))
afterAll(() => stopAll(lasting))

/**
 * Starts a Meilisearch, which ends with the test.
 *
 * @param settings further arguments
 * @param folder its data folder
 */
export const startOwnMeilisearch = (
  settings: string[] = [],
  folder: string = temporaryFolder(),
): Promise<OwnMeilisearch> => startIn(running, settings, folder)

let kept: Promise<[OwnMeilisearch, OwnMeilisearch, OwnMeilisearch]> | undefined

/** Three servers without an index, for all tests of a file; one that a test has killed is started again. */
export async function threeOwnMeilisearches(): Promise<[OwnMeilisearch, OwnMeilisearch, OwnMeilisearch]> {
  const startLasting = () => startIn(lasting, [], temporaryFolder())
  kept ??= Promise.all([startLasting(), startLasting(), startLasting()])
  const three = await kept
  for (const { url, start } of three) {
    if (![...lasting].some((server) => server.url === url)) {
      await start()
    }
    const client = new Meilisearch({ host: url, apiKey: meiliKey })
    for (const { uid } of (await client.getRawIndexes()).results) {
      await client.deleteIndex(uid).waitTask()
    }
  }
  return three
}

async function startIn(servers: Set<RunningServer>, settings: string[], folder: string): Promise<OwnMeilisearch> {
  let server = await startMeilisearch(folder, 0, settings)
  servers.add(server)
  const { url } = server
  return {
    url,
    kill: async () => {
      servers.delete(server)
      await stop(server)
    },
    start: async () => {
      server = await startMeilisearch(folder, Number(new URL(url).port), settings)
      servers.add(server)
    },
    freeze: () => void server.child.kill('SIGSTOP'),
    thaw: () => void server.child.kill('SIGCONT'),
  }
}
