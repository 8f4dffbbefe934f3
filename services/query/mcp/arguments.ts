import type { z } from 'zod'
import { type FieldError, invalidParameters } from '../../../shared/runtime/errors.js'
import { parseGiven } from '../http/parse-query.js'

/**
 * The arguments of a tool as parameters of an endpoint: text, as in a URL. An argument of null is absent, a list is a
 * parameter that is given several times.
 *
 * @param schema the parameters that the tool takes
 * @throws AppError `invalid_parameters` that names every bad argument
 */
export function toParameters(given: Record<string, unknown>, schema: z.ZodObject): [name: string, value: string][] {
  const errors: FieldError[] = []
  const parameters: [string, string][] = []
  for (const [name, value] of Object.entries(given)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (typeof each === 'object' && each !== null) {
        errors.push({ parameter: name, message: 'is not text, a number, true or false: give one of these.' })
      } else if (each !== null) {
        parameters.push([name, String(each)])
      }
    }
  }
  const parsed = parseGiven(parameters, schema, { errors, of: 'tool' })
  if (parsed.errors !== undefined) {
    throw invalidParameters(parsed.errors)
  }
  return parameters
}
