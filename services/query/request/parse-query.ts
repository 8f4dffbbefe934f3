import type { z } from 'zod'
import type { FieldError } from '../../../shared/runtime/errors.js'

/** Above the number of parameters of any endpoint. */
const maxParameters = 100

/** The parsed query, or an error for every invalid parameter. */
export type ParsedQuery<Query> =
  | {
      query: Query
      /** The parameters as sent, decoded, in their order. */
      given: [name: string, value: string][]
      errors?: never
    }
  | { errors: FieldError[] }

/**
 * Parses a query string with an endpoint's schema. Strict: unknown, repeated and empty parameters are refused, because
 * ignoring one would answer a different question.
 *
 * @param querystring the part after the `?`, still encoded
 * @param schema by parameter: from text to value, or from a list of texts where marked repeatable. Where marked as a form
 * field, an empty text, or one of spaces, is an absent one
 * @param options.ignoresUnknown whether unknown parameters count as absent, malformed ones among them: `knownPairs`
 */
export function parseQuery<Schema extends z.ZodObject>(
  querystring: string,
  schema: Schema,
  { ignoresUnknown = false }: { ignoresUnknown?: boolean } = {},
): ParsedQuery<z.output<Schema>> {
  const pairs = ignoresUnknown ? knownPairs(querystring, schema) : pairsOf(querystring)
  const { given, errors } = decodePairs(pairs)
  return parseGiven(given, schema, { errors })
}

/**
 * As `parseQuery`, of decoded parameters.
 *
 * @param options.errors errors that were found before
 * @param options.of what takes the parameters, for messages
 */
export function parseGiven<Schema extends z.ZodObject>(
  given: [name: string, value: string][],
  schema: Schema,
  { errors = [], of = 'endpoint' }: { errors?: FieldError[]; of?: 'endpoint' | 'tool' } = {},
): ParsedQuery<z.output<Schema>> {
  if (given.length > maxParameters) {
    return { errors: [{ parameter: '*', message: `has ${given.length} parameters: send at most ${maxParameters}.` }] }
  }
  const byName = new Map<string, string[]>()
  for (const [name, value] of given) {
    byName.set(name, [...(byName.get(name) ?? []), value])
  }
  const values: [string, string | string[]][] = []
  for (const [name, sent] of byName) {
    const field = Object.hasOwn(schema.shape, name) ? (schema.shape[name] as z.ZodType) : undefined
    const texts = isFormField(field) ? sent.filter((text) => text.trim() !== '') : sent
    if (texts.length === 0) {
      continue
    }
    const message = field === undefined ? unknownParameter(schema, of) : refusal(field, texts)
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

/** The parameters of a query string that a schema knows, still encoded, `except` those of these names. */
export const knownPairs = (querystring: string, schema: z.ZodObject, except: readonly string[] = []): string[] =>
  pairsOf(querystring).filter((pair) => {
    const name = decodePair(pair).name ?? ''
    return Object.hasOwn(schema.shape, name) && !except.includes(name)
  })

const pairsOf = (querystring: string): string[] => querystring.split('&').filter((pair) => pair !== '')

/** A name and its value as text, null where malformed; `+` is a space, as in HTML forms. */
function decodePair(pair: string): { rawName: string; name: string | null; value: string | null } {
  const [, rawName = '', rawValue = ''] = /^([^=]*)=?(.*)$/s.exec(pair) ?? []
  const [name = null, value = null] = [rawName, rawValue].map((raw) => decodeUrlPart(raw.replaceAll('+', ' ')))
  return { rawName, name, value }
}

function decodePairs(pairs: string[]): { given: [string, string][]; errors: FieldError[] } {
  const given: [string, string][] = []
  const errors: FieldError[] = []
  for (const pair of pairs) {
    const { rawName, name, value } = decodePair(pair)
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

/** A form of a page sends its empty fields, too, and those with spaces only: they are absent. */
export const isFormField = (field: z.ZodType | undefined): boolean => field?.meta()?.['formField'] === true

function refusal(field: z.ZodType, texts: string[]): string | null {
  if (texts.length > 1 && !isRepeatable(field)) {
    return `is given ${texts.length} times; give it once.`
  }
  if (texts.includes('')) {
    return field.safeParse(undefined).success
      ? 'is empty: give it a value or omit it.'
      : 'is empty: it is required and needs a value.'
  }
  return null
}

function unknownParameter(schema: z.ZodObject, of: string): string {
  const known = Object.keys(schema.shape)
  return known.length === 0
    ? `is not known: this ${of} takes no parameters.`
    : `is not known: this ${of} takes ${known.join(', ')}.`
}

/** One error per parameter, the first one found; a long unknown name is shortened. */
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

/** Decodes a percent-encoded part of a URL; null when it is malformed or not UTF-8. */
export function decodeUrlPart(part: string): string | null {
  try {
    return decodeURIComponent(part)
  } catch {
    return null
  }
}

/** Whether a text has control characters, such as NUL, a line break or DEL. */
export const hasControlCharacters = (text: string): boolean => /\p{Cc}/u.test(text)
