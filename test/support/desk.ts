import { setTimeout as sleep } from 'node:timers/promises'
import type { CatalogStatus } from '../../services/indexer/status/read-status.js'
import { freePort } from './local-server.js'
import { sendTo } from './test-app.js'

/** A token for tests. */
export const deskToken = 'a-token-that-only-tests-know'

/** The headers of a reader. */
export const browser = { Accept: 'text/html,*/*;q=0.8' }

/** Without what a command adds, and what changes between two reads. */
export const comparable = ({ command, status, durationMs, disk, jobs: rows, ...rest }: Record<string, unknown>) => ({
  ...rest,
  jobs: (rows as CatalogStatus['jobs']).map(({ running, waiting, ...row }) => row),
})

/** The operator's desk of a service that is to be started. @param own its port; default: a free one */
export async function aDesk(own?: number) {
  const port = own ?? (await freePort())
  const url = `http://127.0.0.1:${port}`
  const status = async (headers: Record<string, string> = {}) =>
    (await sendTo(url, 'GET', '/status.json', headers)).body as CatalogStatus
  return {
    url,
    /** For the environment of the service. */
    env: { METRICS_PORT: String(port) },
    get: (path: string, headers: Record<string, string> = {}) => sendTo(url, 'GET', path, headers),
    post: (path: string, headers: Record<string, string> = {}) => sendTo(url, 'POST', path, headers),
    status,
    /** The row of a job, once it is so. */
    async until(name: string, isSo: (row: CatalogStatus['jobs'][number]) => boolean) {
      for (;;) {
        const row = (await status()).jobs.find((job) => job.name === name)
        if (row !== undefined && isSo(row)) {
          return row
        }
        await sleep(50)
      }
    },
    /** Sends the form of the sign-in page; the cookie of the answer is null without one. */
    async signIn(token: string) {
      const response = await fetch(`${url}/sign-in`, {
        method: 'POST',
        body: new URLSearchParams({ token }),
        headers: { Accept: 'text/html' },
        redirect: 'manual',
      })
      return { status: response.status, text: await response.text(), cookie: response.headers.get('set-cookie') }
    },
  }
}
