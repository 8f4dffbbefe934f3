import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../../services/indexer/seed/random.js'
import { digestOf } from '../faults/support/download.js'
import type { ApiClient } from './api-client.js'
import { pick } from './pick.js'
import type { SoakLog } from './soak-log.js'

const path = '/api/v1/export?type=skills&format=ndjson'

/** Longer than the interval of export files, 10 seconds. */
const maxPauseMs = 15_000

interface DownloadDeps {
  client: ApiClient
  log: SoakLog
  random: Random
}

/** Ways to request the rest of a file, from the headers of the first response. */
const resumptions: ((first: Headers) => { path: string; headers: Record<string, string> })[] = [
  // curl -C - and wget -c
  () => ({ path, headers: {} }),
  // a browser
  (first) => ({ path, headers: { 'If-Range': first.get('etag') ?? '' } }),
  // a client that follows the documentation
  (first) => ({ path: first.get('content-location') ?? '', headers: {} }),
]

/** Downloads a file in two parts with a pause between them; together they must be one snapshot. */
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
  // 410: the snapshot is no longer kept; 428: the range request has no `If-Range`.
  if (second === null || second.status === 410 || second.status === 428) {
    return
  }
  const { status, headers, body } = second
  const whole = status === 206 ? Buffer.concat([first.body.subarray(0, from), body]) : body
  // `fetch` has decompressed a complete file, but its digest is that of the compressed bytes.
  if (headers.get('content-encoding') === null && headers.get('repr-digest') !== digestOf(whole)) {
    const request = `${rest.path} with ${JSON.stringify(rest.headers)} from byte ${from}`
    log.violation('download', `${request} was answered ${status}: the file was never published`)
  }
}
