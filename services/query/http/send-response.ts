import type { ParameterizedContext } from 'koa'
import { dataLicense } from '../../../shared/records/data-license.js'
import { isNotModified } from './conditional.js'
import { sendDownload } from './download.js'
import type { Endpoint, EndpointResult, Link } from './endpoint.js'
import { withFields } from './fields.js'
import type { Download } from './select-part.js'
import { SendableText } from './sendable-text.js'

const jsonType = 'application/json; charset=utf-8'

/** Sends the result of an endpoint, or a 304. */
export async function sendResponse(
  ctx: ParameterizedContext,
  endpoint: Endpoint,
  answer: EndpointResult<unknown>,
): Promise<void> {
  let isPrevious = false
  if ('download' in answer) {
    isPrevious = (await sendDownload(ctx, answer.download)) !== answer.download
  } else {
    const text = textOf(endpoint, answer)
    ctx.status = 200
    ctx.set('Content-Type', endpoint.produces ?? jsonType)
    await sendText(ctx, text)
  }
  const { Vary: alsoBy = '', ...headers } = answer.headers ?? {}
  // Set only after everything that can fail: problem details do not have them.
  ctx.set({
    // A part of a previous file gets no links: they are those of the current one.
    'Cache-Control': isPrevious ? 'no-store' : cacheControl(endpoint.cache),
    ...linkHeader(endpoint, isPrevious ? [] : (answer.links ?? [])),
    ...headers,
  })
  if (alsoBy !== '') {
    ctx.vary(alsoBy)
  }
}

/** The licence is that of the data: the files of a page have their own. */
function linkHeader({ docs }: Endpoint, links: Link[]): { Link?: string } {
  const all = [...(docs === null ? [] : [`<${dataLicense.licenseUrl}>; rel="license"`]), ...links.map(toLink)]
  return all.length === 0 ? {} : { Link: all.join(', ') }
}

const toLink = ({ target, rel }: Link): string => `<${target}>; rel="${rel}"`

function textOf(endpoint: Endpoint, answer: Exclude<EndpointResult<unknown>, { download: Download }>): SendableText {
  if ('text' in answer) {
    return typeof answer.text === 'string' ? new SendableText(answer.text) : answer.text
  }
  const whole: object = Object(endpoint.response.parse(answer.body))
  const body = answer.fields === undefined ? whole : withFields(whole, answer.fields)
  return new SendableText(JSON.stringify(body))
}

/** Sends a text with its entity tag, encoded as the client prefers; a 304 when the client's copy is current. */
async function sendText(ctx: ParameterizedContext, text: SendableText): Promise<void> {
  const encoding = text.encodingFor(ctx.get('Accept-Encoding'))
  const etag = text.entityTag(encoding)
  ctx.vary('Accept-Encoding')
  ctx.set('ETag', etag)
  if (isNotModified(ctx.headers, { etag })) {
    ctx.status = 304
  } else {
    await text.setBody(ctx, encoding)
  }
}

const cacheControl = ({ maxAgeSeconds, staleWhileRevalidateSeconds, immutable }: Endpoint['cache']): string =>
  [
    'public',
    `max-age=${maxAgeSeconds}`,
    ...(staleWhileRevalidateSeconds === undefined ? [] : [`stale-while-revalidate=${staleWhileRevalidateSeconds}`]),
    ...(immutable === undefined ? [] : ['immutable']),
  ].join(', ')
