import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../../services/indexer/seed/random.js'
import type { Answer, ApiClient } from './api-client.js'
import { pick } from './pick.js'
import type { SoakLog } from './soak-log.js'

const path = '/api/v1/export?type=skills&format=ndjson'

/** Export files are published every 10 seconds: some pauses are longer than that. */
const maxPauseMs = 15_000

interface DownloadDeps {
  client: ApiClient
  log: SoakLog
  random: Random
}

/** How a client asks for the rest of a file, given what it learned from the first answer. */
const resumptions: ((first: Headers) => { path: string; headers: Record<string, string> })[] = [
  // curl -C - and wget -c
  () => ({ path, headers: {} }),
  // a browser
  (first) => ({ path, headers: { 'If-Range': first.get('etag') ?? '' } }),
  // who follows the advice of the documentation
  (first) => ({ path: first.get('content-location') ?? '', headers: {} }),
]

/** Downloads a file in two parts, with a pause between them; both together must be one whole snapshot. */
export async function downloadInTwoParts({ client, log, random }: DownloadDeps): Promise<void> {
  const first = await client.ask(path, { 'Accept-Encoding': 'identity' })
  if (first === null || first.body.length === 0) {
    return
  }
  const from = random.between(0, first.body.length - 1)
  await sleep(random.between(0, maxPauseMs))
  const rest = pick(random, resumptions)(first.headers)
  const second = await client.ask(rest.path, {
    ...rest.headers,
    Range: `bytes=${from}-`,
    'Accept-Encoding': pick(random, ['identity', 'gzip']),
  })
  // 410: the snapshot is no longer kept; 428: the range names no file.
  if (second === null || second.status === 410 || second.status === 428) {
    return
  }
  const { status, headers, body } = second
  const whole = status === 206 ? Buffer.concat([first.body.subarray(0, from), body]) : body
  // `fetch` has unpacked a whole file that came packed, and the digest is that of the packed bytes.
  if (headers.get('content-encoding') === null && headers.get('repr-digest') !== digestOf(whole)) {
    const asked = `${rest.path} with ${JSON.stringify(rest.headers)} from byte ${from}`
    log.complain('download', `${asked} was answered ${status}: the file is no snapshot that was ever published`)
  }
}

/** Whether a downloaded file is what its answer announced. */
export const hasAnnouncedDigest = ({ headers, body }: Answer): boolean => headers.get('repr-digest') === digestOf(body)

const digestOf = (body: Uint8Array): string => `sha-256=:${createHash('sha256').update(body).digest('base64')}:`
