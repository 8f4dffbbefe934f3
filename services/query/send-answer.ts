import type { ParameterizedContext } from 'koa'
import { dataLicense } from '../../shared/records/data-license.js'
import { isNotModified } from './conditional.js'
import { type Download, sendDownload } from './download.js'
import type { Answer, Endpoint, Link } from './endpoint.js'
import { withFields } from './fields.js'
import { SendableText } from './sendable-text.js'

const jsonType = 'application/json; charset=utf-8'

/** Sends what an endpoint answers, or that the client has it already. */
export async function sendAnswer(
  ctx: ParameterizedContext,
  endpoint: Endpoint,
  answer: Answer<unknown>,
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
  // Now that nothing more can fail: a problem has none of them.
  ctx.set({
    // A part of a previous file is for the client that has its beginning, and nothing that the address links to.
    'Cache-Control': isPrevious ? 'no-store' : cacheControl(endpoint.cache),
    ...linkHeader(endpoint, isPrevious ? [] : (answer.links ?? [])),
    ...headers,
  })
  if (alsoBy !== '') {
    ctx.vary(alsoBy)
  }
}

/** The terms of use are those of the data: the parts of a page have their own. */
function linkHeader({ docs }: Endpoint, links: Link[]): { Link?: string } {
  const all = [...(docs === null ? [] : [`<${dataLicense.licenseUrl}>; rel="license"`]), ...links.map(toLink)]
  return all.length === 0 ? {} : { Link: all.join(', ') }
}

const toLink = ({ target, rel }: Link): string => `<${target}>; rel="${rel}"`

function textOf(endpoint: Endpoint, answer: Exclude<Answer<unknown>, { download: Download }>): SendableText {
  if ('text' in answer) {
    return typeof answer.text === 'string' ? new SendableText(answer.text) : answer.text
  }
  const whole: object = Object(endpoint.response.parse(answer.body))
  const body = answer.fields === undefined ? whole : withFields(whole, answer.fields)
  const { volatile } = endpoint
  return volatile === undefined ? new SendableText(JSON.stringify(body)) : withVolatile(body, volatile)
}

/** The members that the entity tag leaves out come last, so that the others are turned into text once. */
function withVolatile(body: object, volatile: string[]): SendableText {
  const members: [string, unknown][] = Object.entries(body)
  const part = (isWanted: (name: string) => boolean) =>
    JSON.stringify(Object.fromEntries(members.filter(([name]) => isWanted(name))))
  const lasting = part((name) => !volatile.includes(name))
  const rest = part((name) => volatile.includes(name))
  return new SendableText(rest === '{}' ? lasting : `${lasting.slice(0, -1)},${rest.slice(1)}`, lasting)
}

/** Sends a text with its entity tag, packed as the client likes it; a 304 when it has it already. */
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
