import type { Server } from 'node:http'
import { afterEach } from '@jest/globals'
import { listen } from './local-server.js'

const ends: (() => unknown)[] = []

/** Does this when the test ends; what was begun last ends first. */
export const afterTest = (end: () => unknown): void => void ends.push(end)

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) {
    await end()
  }
})

/** Lets a server listen until the test ends. @returns its URL */
export function listenForTest(server: Server): Promise<string> {
  afterTest(() => closeNow(server))
  return listen(server)
}

/** Closes a server with its connections. */
export async function closeNow(server: Server): Promise<void> {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
}
