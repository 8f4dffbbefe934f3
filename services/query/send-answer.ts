import type { ParameterizedContext } from 'koa'
import { entityTag, isNotModified } from './conditional.js'
import { encodingFor, setTextBody } from './content-encoding.js'
import type { Answer, Endpoint } from './endpoint.js'

/** The licence of the catalog's data. */
const licenseUrl = 'https://creativecommons.org/licenses/by/4.0/'

const jsonType = 'application/json; charset=utf-8'

/** Sends what an endpoint answers, or that the client has it already. */
export async function sendAnswer(
  ctx: ParameterizedContext,
  endpoint: Endpoint,
  answer: Answer<unknown>,
): Promise<void> {
  const links = answer.links ?? []
  const text = 'file' in answer ? null : textOf(endpoint, answer)
  ctx.status = 200
  ctx.set({
    'Cache-Control': cacheControl(endpoint.cache),
    'Content-Type': endpoint.produces ?? jsonType,
    Link: [`<${licenseUrl}>; rel="license"`, ...links.map(({ target, rel }) => `<${target}>; rel="${rel}"`)].join(', '),
    ...answer.headers,
  })
  if (text !== null) {
    await sendText(ctx, text)
  } else if ('file' in answer && answer.file !== null) {
    ctx.body = answer.file
  }
}

/** A text to send, and that part of it which its entity tag stands for. */
interface TaggedText {
  whole: string
  lasting: string
}

function textOf(endpoint: Endpoint, answer: { body: unknown } | { text: string }): TaggedText {
  if ('text' in answer) {
    return { whole: answer.text, lasting: answer.text }
  }
  const body = endpoint.response.parse(answer.body)
  const whole = JSON.stringify(body)
  const { volatile } = endpoint
  return { whole, lasting: volatile === undefined ? whole : JSON.stringify(without(body, volatile)) }
}

/** Sends a text with its entity tag, packed as the client likes it; a 304 when it has it already. */
async function sendText(ctx: ParameterizedContext, { whole, lasting }: TaggedText): Promise<void> {
  const encoding = encodingFor(ctx, whole)
  const etag = entityTag(lasting, encoding)
  ctx.set('ETag', etag)
  if (isNotModified(ctx.headers, { etag })) {
    ctx.status = 304
  } else {
    await setTextBody(ctx, whole, encoding)
  }
}

const without = (body: unknown, members: string[]): unknown =>
  Object.fromEntries(Object.entries(Object(body)).filter(([name]) => !members.includes(name)))

const cacheControl = ({ maxAgeSeconds, staleWhileRevalidateSeconds }: Endpoint['cache']): string =>
  `public, max-age=${maxAgeSeconds}` +
  (staleWhileRevalidateSeconds === undefined ? '' : `, stale-while-revalidate=${staleWhileRevalidateSeconds}`)
