import type { z } from 'zod'

/** What a schema asks for, in words for an operator. */
const expectations: Record<string, string> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
}

/**
 * What is wrong with a document, field by field, in words for the operator who is to repair it: `owner: is missing`.
 *
 * @param error of a parse that was given `faultInWords`
 */
export const faultsInWords = ({ issues }: z.ZodError): string =>
  issues.map(({ path, message }) => `${path.join('.') || 'document'}: ${message}`).join('; ')

/** Words for what a schema has none of its own for; undefined: the library's. */
export function faultInWords({ code, input, ...issue }: z.core.$ZodRawIssue): string | undefined {
  if (input === undefined) {
    return 'is missing'
  }
  if (code === 'invalid_type') {
    const expected = String(issue['expected'])
    return `must be ${expectations[expected] ?? expected}, not ${kindOf(input)}`
  }
  return undefined
}

function kindOf(value: unknown): string {
  if (value === null) {
    return 'null'
  }
  if (Array.isArray(value)) {
    return 'a list'
  }
  return typeof value === 'number' && !Number.isInteger(value)
    ? 'a fraction'
    : (expectations[typeof value] ?? typeof value)
}
