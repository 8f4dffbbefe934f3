import type { z } from 'zod'
import type { FieldError } from '../../shared/errors.js'
import { decodeUrlPart } from './decode.js'

/** More than this cannot be an honest question: no endpoint knows as many parameters. */
const maxParameters = 100

/** What was asked, or every parameter that keeps it from being asked. */
export type ParsedQuery<Query> =
  | {
      query: Query
      /** The parameters as given, decoded, in their order. */
      given: [name: string, value: string][]
      errors?: never
    }
  | { errors: FieldError[] }

/**
 * Reads a query string by an endpoint's schema. Strict, since a parameter that is quietly ignored answers another
 * question than the one that was asked: unknown and repeated ones are refused, and so is one without a value.
 *
 * @param querystring what follows the `?`, still encoded
 * @param schema from parameter to value; it is given texts, and lists of texts for what is marked repeatable
 */
export function parseQuery<Schema extends z.ZodObject>(
  querystring: string,
  schema: Schema,
): ParsedQuery<z.output<Schema>> {
  const pairs = querystring.split('&').filter((pair) => pair !== '')
  if (pairs.length > maxParameters) {
    return {
      errors: [{ parameter: '*', message: `${pairs.length} parameters are too many: ${maxParameters} are read.` }],
    }
  }
  const { given, errors } = decodePairs(pairs)
  const byName = new Map<string, string[]>()
  for (const [name, value] of given) {
    byName.set(name, [...(byName.get(name) ?? []), value])
  }
  const values: [string, string | string[]][] = []
  for (const [name, texts] of byName) {
    const field = Object.hasOwn(schema.shape, name) ? (schema.shape[name] as z.ZodType) : undefined
    const message = field === undefined ? unknownParameter(schema) : refusal(field, texts)
    if (message !== null) {
      errors.push({ parameter: name, message })
    } else {
      values.push([name, isRepeatable(field) ? texts : (texts[0] ?? '')])
    }
  }
  const parsed = schema.safeParse(Object.fromEntries(values))
  for (const { path, message } of parsed.error?.issues ?? []) {
    errors.push({ parameter: String(path[0]), message })
  }
  if (errors.length > 0 || !parsed.success) {
    return { errors: firstOfEach(errors) }
  }
  return { query: parsed.data, given }
}

/** Names and values as text; `+` is a space, as forms write it. */
function decodePairs(pairs: string[]): { given: [string, string][]; errors: FieldError[] } {
  const given: [string, string][] = []
  const errors: FieldError[] = []
  for (const pair of pairs) {
    const [, rawName = '', rawValue = ''] = /^([^=]*)=?(.*)$/s.exec(pair) ?? []
    const name = decodeUrlPart(rawName.replaceAll('+', ' '))
    const value = decodeUrlPart(rawValue.replaceAll('+', ' '))
    if (name === null || value === null) {
      errors.push({
        parameter: name ?? rawName,
        message: 'is not valid percent-encoded UTF-8; write a literal % as %25.',
      })
    } else {
      given.push([name, value])
    }
  }
  return { given, errors }
}

const isRepeatable = (field: z.ZodType | undefined): boolean => field?.meta()?.['repeatable'] === true

function refusal(field: z.ZodType, texts: string[]): string | null {
  if (texts.length > 1 && !isRepeatable(field)) {
    return `is given ${texts.length} times; give it once.`
  }
  if (texts.includes('')) {
    return field.safeParse(undefined).success
      ? 'is empty: give it a value or leave it out.'
      : 'is empty: it is required and needs a value.'
  }
  return null
}

function unknownParameter(schema: z.ZodObject): string {
  const known = Object.keys(schema.shape)
  return known.length === 0
    ? 'is not known: this endpoint takes no parameters.'
    : `is not known: this endpoint takes ${known.join(', ')}.`
}

/** A parameter is told of once, by what was found first; a name that nobody meant is not repeated at length. */
function firstOfEach(errors: FieldError[]): FieldError[] {
  const messages = new Map<string, string>()
  for (const { parameter, message } of errors) {
    const name = parameter.length > 100 ? `${parameter.slice(0, 100)}…` : parameter
    if (!messages.has(name)) {
      messages.set(name, message)
    }
  }
  return [...messages].map(([parameter, message]) => ({ parameter, message }))
}
