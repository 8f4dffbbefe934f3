import { isUtf8 } from 'node:buffer'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { z } from 'zod'
import { createSchema } from 'zod-openapi'
import type { FieldError } from '../../../shared/runtime/errors.js'
import { parseJson } from '../../../shared/runtime/http-answers.js'
import { type ParsedQuery, parseGiven } from './parse-query.js'
import type { ProblemCode } from './problem-codes.js'
import { bodyTooLarge, problemError } from './problems.js'

/** Bytes of a body with parameters: each at its maximum, with every character escaped. */
export const maxJsonBytes = 32_768

/**
 * Refuses a body that is not sent as JSON in UTF-8, before it is read.
 *
 * @throws AppError `unsupported_media_type` (415)
 */
export function checkJsonType(header: (name: string) => string): void {
  const type = header('Content-Type').trim()
  const isJson = /^application\/json\s*(?:;\s*charset="?utf-8"?\s*)?;?$/i.test(type)
  if (!isJson || !/^(?:identity)?$/i.test(header('Content-Encoding').trim())) {
    const sent = isJson ? `${type} in ${header('Content-Encoding')}` : type
    throw problemError(
      'unsupported_media_type',
      `${sent === '' ? 'The body has no Content-Type' : `The body is sent as ${sent}`}. Send a JSON ` +
        'object in UTF-8, with Content-Type: application/json and no Content-Encoding.',
      { headers: { Accept: 'application/json', Connection: 'close' } },
    )
  }
}

/**
 * As `parseQuery`, of the parameters in a JSON body.
 *
 * @param querystring of the URL, which must have none: they would be a second request
 */
export function parseJsonQuery<Schema extends z.ZodObject>(
  body: string,
  querystring: string,
  schema: Schema,
): ParsedQuery<z.output<Schema>> {
  const value = parseJson(body)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const fault =
      body.trim() === '' ? 'is empty' : value === undefined ? 'is not valid JSON' : 'is JSON, but not an object'
    const message = `${fault}: send the parameters as an object such as {"q": "pdf table"}.`
    return { errors: [{ parameter: 'body', message }] }
  }
  const { parameters, errors } = fromJson(value, schema)
  const inUrl = [...new Set(new URLSearchParams(querystring).keys())].slice(0, maxNamed)
  errors.push(...inUrl.map((parameter) => ({ parameter, message: 'is in the URL: put it into the body.' })))
  return parseGiven(parameters, schema, { errors })
}

/** Halves of surrogate pairs, which are no characters: JSON can have them, UTF-8 cannot. */
const halfPairs = /\p{Surrogate}/gu

/** Parameters of the URL that an error lists. */
const maxNamed = 20

/**
 * JSON values as the parameters that stand for them in a URL: a member of null is absent, a list is a parameter that is
 * given several times, and numbers, true and false may be text, too.
 *
 * @param schema of the known parameters
 */
export function fromJson(
  given: object,
  schema: z.ZodObject,
): { parameters: [name: string, value: string][]; errors: FieldError[] } {
  const types = typesOf(schema)
  const errors: FieldError[] = []
  const parameters: [string, string][] = []
  for (const [parameter, value] of Object.entries(given)) {
    const field = types.get(parameter)
    if (Array.isArray(value) && field?.isList === false) {
      errors.push({ parameter, message: 'is a list: give one value.' })
      continue
    }
    for (const each of Array.isArray(value) ? value : [value]) {
      if (typeof each === 'object' && each !== null) {
        errors.push({ parameter, message: 'is not text, a number, true or false: give one of these.' })
      } else if (each !== null && field?.isText && typeof each !== 'string') {
        errors.push({ parameter, message: `is ${each}, not text: write it in quotes.` })
      } else if (each !== null) {
        parameters.push([parameter, String(each).replace(halfPairs, '\ufffd')])
      }
    }
  }
  return { parameters, errors }
}

/** How the document describes a parameter. */
interface ParameterType {
  isList: boolean
  /** Whether each value is text, and no number, true or false. */
  isText: boolean
}

const typesBySchema = new WeakMap<z.ZodObject, Map<string, ParameterType>>()

function typesOf(schema: z.ZodObject): Map<string, ParameterType> {
  let types = typesBySchema.get(schema)
  if (types === undefined) {
    const { properties = {} } = createSchema(schema, { io: 'input' }).schema as { properties?: object }
    types = new Map(
      Object.entries(properties).map(([name, { type }]) => [
        name,
        { isList: type === 'array', isText: !['integer', 'number', 'boolean'].includes(type) },
      ]),
    )
    typesBySchema.set(schema, types)
  }
  return types
}

/** A small body arrives with its headers, or shortly after them. */
const defaultTimeLimitMs = 10_000

/** Without a byte order mark, which programs on Windows write. */
const utf8 = new TextDecoder()

const malformedEvent = 'malformed'
const malformed = new WeakSet<IncomingMessage>()

/** Ends the reading of a body of which a part is not valid HTTP: the rest of it never arrives. */
export function noteMalformed(request: IncomingMessage): void {
  malformed.add(request)
  request.emit(malformedEvent)
}

/**
 * Reads the body of a request as text. A client that waits for `100 Continue` before it sends one gets it.
 *
 * @param timeLimitMs from now to its last byte, milliseconds
 * @throws AppError `body_too_large` (413) as soon as it has more than `maxBytes` bytes; `request_timeout` (408) when it is
 * not complete in time, or the client has left; `malformed_request` (400) as soon as a part of it is no valid HTTP, or
 * where it is not UTF-8
 */
export function readBody(
  request: IncomingMessage,
  response: Pick<ServerResponse, 'writeContinue'>,
  maxBytes: number,
  timeLimitMs: number = defaultTimeLimitMs,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let sizeBytes = 0
    const end = (settle: () => void) => {
      clearTimeout(timer)
      request.off('data', onData)
      request.off(malformedEvent, onMalformed)
      settle()
    }
    const refuse = (code: ProblemCode, message: string) =>
      end(() => reject(problemError(code, message, { headers: { Connection: 'close' } })))
    const onLate = () => refuse('request_timeout', 'The body of the request did not arrive in time. Send it again.')
    const timer = setTimeout(onLate, timeLimitMs)
    const onData = (chunk: Buffer) => {
      sizeBytes += chunk.length
      chunks.push(chunk)
      if (sizeBytes > maxBytes) {
        end(() => reject(bodyTooLarge(maxBytes)))
      }
    }
    const onMalformed = () =>
      refuse('malformed_request', 'The body of the request is not valid HTTP. Check its chunks and its length.')
    if (malformed.has(request)) {
      onMalformed()
      return
    }
    if (/^100-continue$/i.test(request.headers.expect ?? '')) {
      response.writeContinue()
    }
    request.once(malformedEvent, onMalformed)
    request.on('data', onData)
    request.once('end', () =>
      end(() => {
        const bytes = Buffer.concat(chunks)
        const fault = 'The body of the request is not valid UTF-8. Encode it as UTF-8.'
        return isUtf8(bytes) ? resolve(utf8.decode(bytes)) : reject(problemError('malformed_request', fault))
      }),
    )
    request.once('error', onLate)
    request.once('close', onLate)
  })
}
