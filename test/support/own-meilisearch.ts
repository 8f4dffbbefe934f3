import { afterEach, test } from '@jest/globals'
import { type RunningServer, servers, startMeilisearch, stop } from './run-servers.js'
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

afterEach(async () => {
  await Promise.all([...running].map(stop))
  running.clear()
})

/**
 * Starts a Meilisearch, which ends with the test.
 *
 * @param settings further arguments
 * @param folder its data folder
 */
export async function startOwnMeilisearch(
  settings: string[] = [],
  folder: string = temporaryFolder(),
): Promise<OwnMeilisearch> {
  let server = await startMeilisearch(folder, 0, settings)
  running.add(server)
  const { url } = server
  return {
    url,
    kill: () => stop(server),
    start: async () => {
      running.delete(server)
      server = await startMeilisearch(folder, Number(new URL(url).port), settings)
      running.add(server)
    },
    freeze: () => void server.child.kill('SIGSTOP'),
    thaw: () => void server.child.kill('SIGCONT'),
  }
}
