import { beforeAll, describe, test } from '@jest/globals'
import { type ServerKind, servers, startMs } from './run-servers.js'
import { sharedServer } from './shared-servers.js'

export { meiliKey } from './run-servers.js'

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
