import { hash } from 'node:crypto'
import { finished, type Readable } from 'node:stream'
import { dataLicense } from '../../../shared/records/records.js'
import { skillOf } from '../../../shared/records/skill.js'
import { responseHeaders } from '../openapi/documented-as.js'
import { type Download, selectDownload } from './download.js'
import type { Endpoint, EndpointResult, Link, RequestContext } from './endpoint.js'
import { isNotModified, SendableText } from './sendable-text.js'

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
  const part = 'download' in answer ? await selectDownload(ctx, answer.download) : await selectText(ctx, answer, type)
  // A part of a previous file gets no links, which are those of the current file.
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

type TextResult = Exclude<EndpointResult<unknown>, { download: Download }>

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

/**
 * The text with its entity tag, encoded as the client prefers; a 304 when the client's copy is current.
 *
 * @param type empty: an empty answer, which has none
 */
async function selectText(
  ctx: RequestContext,
  answer: TextResult,
  type: string,
): Promise<{ status: number; headers: string[]; body: Buffer | null }> {
  const status = answer.status ?? 200
  if (type === '') {
    return { status, headers: [], body: null }
  }
  const given = 'text' in answer ? answer.text : JSON.stringify(answer.body)
  const text = typeof given === 'string' ? new SendableText(given) : given
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
  return { status, headers, body }
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

/** What is sent: a text, its bytes, or a file; null: nothing. */
export type Body = string | Buffer | Readable | null

/**
 * Sends an answer, its headers in one call, which takes no time that can be measured (`npm run bench -- --only request-way`).
 *
 * @param headers names and values in turn, in addition to those of every answer to this request; the length of a text is
 * added
 */
export function send(ctx: RequestContext, status: number, headers: string[], body: Body): void {
  const { res } = ctx
  const all = [...ctx.state.headers, ...headers]
  if (!headers.includes('Content-Security-Policy')) {
    all.push('Content-Security-Policy', contentSecurityPolicy)
  }
  if (typeof body === 'string' || Buffer.isBuffer(body)) {
    all.push('Content-Length', String(Buffer.byteLength(body)))
  }
  res.writeHead(status, all)
  ctx.respond = false
  if (typeof body === 'string' || Buffer.isBuffer(body) || body === null) {
    // Node leaves the body out where there must be none: for HEAD, 204 and 304.
    res.end(body)
  } else {
    // A file that cannot be read to its end must not look like a whole one.
    body.on('error', (error) => {
      ctx.app.emit('error', error, ctx)
      res.destroy()
    })
    // `finished` also calls back where the client has left before.
    finished(res, () => body.destroy())
    body.pipe(res)
  }
}

/** A policy that allows nothing; pages have one of their own. */
const contentSecurityPolicy = "default-src 'none';frame-ancestors 'none'"

/** Every header of the API: browsers hide headers from other origins unless they are listed. */
export const exposedHeaders = [...Object.keys(responseHeaders), 'Content-Encoding', 'Content-Length']

/** Headers that let pages of every origin read a response. */
export const openToAll = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': exposedHeaders.join(','),
}

/**
 * Headers of every answer, names and values in turn: they restrict browsers, and let pages of every origin read it. All
 * data is public, so other sites may embed it. TLS and HSTS are up to the proxy in front.
 */
export const fixedHeaders: readonly string[] = Object.entries({
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'cross-origin',
  ...openToAll,
}).flat()

/**
 * The record of a skill as JSON, with further members after it. The stored text is neither parsed nor serialized again,
 * unless only some fields are wanted; the id always stays.
 */
export function recordText(
  skill: { record: string },
  fields: readonly string[] | undefined,
  more: object = {},
): string {
  if (fields === undefined) {
    return withMembers(skill.record, more)
  }
  const wanted = Object.entries(skillOf(skill)).filter(([name]) => name === 'id' || fields.includes(name))
  return JSON.stringify({ ...Object.fromEntries(wanted), ...more })
}

/** A body whose `data` is a list of records as JSON, with its other members. */
export const listText = (records: string[], rest: object): string =>
  withMembers(`{"data":[${records.join(',')}]}`, rest)

/** A JSON object with further members after its own; members that are undefined are left out. */
export function withMembers(json: string, more: object): string {
  const members = JSON.stringify(more)
  return members === '{}' ? json : `${json.slice(0, -1)},${members.slice(1)}`
}
