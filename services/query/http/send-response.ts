import { hash } from 'node:crypto'
import { dataLicense } from '../../../shared/records/data-license.js'
import type { RequestContext } from '../middleware/state.js'
import { isNotModified } from './conditional.js'
import { selectDownload } from './download.js'
import type { Endpoint, EndpointResult, Link } from './endpoint.js'
import { withFields } from './fields.js'
import { type Reply, selectReply } from './reply.js'
import type { Download } from './select-part.js'
import { send } from './send.js'
import { SendableText } from './sendable-text.js'

const jsonType = 'application/json; charset=utf-8'

/**
 * Sends the result of an endpoint, or a 304.
 *
 * @param originOf the origin under which the client reaches this service: links are absolute, since many clients do not
 * resolve them
 */
export async function sendResponse(
  ctx: RequestContext,
  endpoint: Endpoint,
  answer: EndpointResult<unknown>,
  originOf: () => string,
): Promise<void> {
  const { Vary: alsoBy, 'Content-Type': type = endpoint.produces ?? jsonType, ...own } = answer.headers ?? noHeaders
  const vary = alsoBy === undefined ? 'Accept-Encoding' : `Accept-Encoding, ${alsoBy}`
  const part =
    'download' in answer
      ? await selectDownload(ctx, answer.download)
      : 'reply' in answer
        ? await selectReply(ctx.get('Accept-Encoding'), answer.reply)
        : await selectText(ctx, answer, type)
  // A part of a previous file gets no links: they are those of the current one.
  const isPrevious = 'file' in part && 'download' in answer && part.file !== answer.download
  const link = linkHeader(endpoint, isPrevious ? { ...answer, links: [] } : answer, originOf)
  const headers = [
    ...part.headers,
    'Vary',
    vary,
    'Cache-Control',
    isPrevious || isPost(ctx) ? 'no-store' : cacheControl(endpoint),
  ]
  if (link !== null) {
    headers.push('Link', link)
  }
  for (const [name, value] of Object.entries(own)) {
    headers.push(name, value)
  }
  send(ctx, part.status, headers, part.body)
}

/** Caches keep no answers to POST, whose URL does not say what was asked for; nor have they validators (RFC 9110, 9.3.3). */
const isPost = ({ method }: RequestContext): boolean => method === 'POST'

const noHeaders: Record<string, string> = {}

type TextResult = Exclude<EndpointResult<unknown>, { download: Download } | { reply: Reply }>

/** The licence is that of the data where the answer names no other: the files of a page have their own. */
function linkHeader(
  { docs }: Endpoint,
  { links = [], license = dataLicense.licenseUrl }: { links?: Link[]; license?: string | null },
  originOf: () => string,
): string | null {
  const origin = links.length === 0 ? '' : originOf()
  const own = links.map(({ target, rel }) => `<${origin}${target}>; rel="${rel}"`)
  const all = docs === null || license === null ? own : [`<${license}>; rel="license"`, ...own]
  return all.length === 0 ? null : all.join(', ')
}

/** The text with its entity tag, encoded as the client prefers; a 304 when the client's copy is current. */
async function selectText(
  ctx: RequestContext,
  answer: TextResult,
  type: string,
): Promise<{ status: number; headers: string[]; body: Buffer | null }> {
  const text = textOf(answer)
  const encoding = text.encodingFor(ctx.get('Accept-Encoding'))
  const headers = ['Content-Type', type]
  if (!isPost(ctx)) {
    const etag = text.entityTag(encoding)
    if (isNotModified(ctx.req.headers, { etag })) {
      return { status: 304, headers: ['ETag', etag], body: null }
    }
    headers.push('ETag', etag)
  }
  const body = await text.encoded(encoding)
  if (encoding !== null) {
    headers.push('Content-Encoding', encoding)
  }
  if ('digested' in answer) {
    headers.push('Repr-Digest', `sha-256=:${hash('sha256', body, 'base64')}:`)
  }
  return { status: 200, headers, body }
}

function textOf(answer: TextResult): SendableText {
  if ('text' in answer) {
    return typeof answer.text === 'string' ? new SendableText(answer.text) : answer.text
  }
  const { body, fields } = answer
  return new SendableText(JSON.stringify(fields === undefined ? body : withFields(Object(body), fields)))
}

const cacheControls = new WeakMap<object, string>()

function cacheControl({ cache }: Endpoint): string {
  if (cache === null) {
    return 'no-store'
  }
  let value = cacheControls.get(cache)
  if (value === undefined) {
    const { maxAgeSeconds, staleWhileRevalidateSeconds, immutable } = cache
    value = [
      'public',
      `max-age=${maxAgeSeconds}`,
      ...(staleWhileRevalidateSeconds === undefined ? [] : [`stale-while-revalidate=${staleWhileRevalidateSeconds}`]),
      ...(immutable === undefined ? [] : ['immutable']),
    ].join(', ')
    cacheControls.set(cache, value)
  }
  return value
}
