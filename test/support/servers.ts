import { afterAll, beforeAll, describe, test } from '@jest/globals'
import { type RunningServer, type ServerKind, servers, startMs, stop } from './run-servers.js'
import { temporaryFolder } from './temporary-folder.js'

export { meiliKey } from './run-servers.js'

/**
 * Defines tests that need a server. The one that the environment names is used, else one is started for this block and
 * stopped behind it; where neither can be had, a skipped test says so.
 *
 * @param define defines the tests; `url` tells the server's address once they run
 */
export function whenServer(kind: ServerKind, define: (url: () => string) => void): void {
  const { variable, found, start, remedy } = servers[kind]
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
    let running: RunningServer | undefined
    beforeAll(async () => {
      running = await start(temporaryFolder())
    }, startMs + 5_000)
    define(() => {
      if (running === undefined) {
        throw new Error(`${kind} runs only while the tests do: ask for its address inside of one`)
      }
      return running.url
    })
    // Behind what the tests end with: they may still need it for that.
    afterAll(() => running && stop(running))
  })
}
