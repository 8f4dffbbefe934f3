import { comparableName } from '../records/field-names.js'
import { plainValue } from './plain-value.js'

/** A value of an input, under the name that the input gives it. */
export interface GivenValue {
  name: string
  value: unknown
}

/** Finds the values that an input has for a field, in order of preference. None of them is null or blank. */
export type FieldValues<Field extends string> = (field: Field) => GivenValue[]

/**
 * The values of a record whose names are compared without case and punctuation.
 *
 * @param names the comparable names of each field
 */
export function valuesByComparableName<Field extends string>(
  record: Record<string, unknown>,
  names: Record<Field, readonly string[]>,
): FieldValues<Field> {
  const values = new Map<string, GivenValue[]>()
  for (const [name, given] of Object.entries(record)) {
    const value = plainValue(given)
    if (isPresent(value)) {
      const comparable = comparableName(name)
      const spellings = values.get(comparable)
      if (spellings === undefined) {
        values.set(comparable, [{ name, value }])
      } else {
        spellings.push({ name, value })
      }
    }
  }
  for (const spellings of values.values()) {
    spellings.sort((a, b) => Number(isPlain(b.name)) - Number(isPlain(a.name)))
  }
  return (field) => {
    const found: GivenValue[] = []
    for (const name of names[field]) {
      const spellings = values.get(name)
      // A record has few of the many names.
      if (spellings !== undefined) {
        found.push(...spellings)
      }
    }
    return found
  }
}

/** Spelled as in the table. Of two spellings of a name it comes first, as in documents: `fullName`, then `full_name`. */
const isPlain = (name: string): boolean => /^[\p{L}\p{N}]+$/u.test(name)

/**
 * The values of a document, by exactly these names.
 *
 * @param names the names of each field
 */
export const valuesByExactName =
  <Field extends string>(
    document: Record<string, unknown>,
    names: Record<Field, readonly string[]>,
  ): FieldValues<Field> =>
  (field) => {
    const found: GivenValue[] = []
    for (const name of names[field]) {
      const given = document[name]
      // A document has few of the many names.
      if (given !== undefined && given !== null) {
        const value = plainValue(given)
        if (isPresent(value)) {
          found.push({ name, value })
        }
      }
    }
    return found
  }

const isPresent = (value: unknown): boolean =>
  value !== null && value !== undefined && !(typeof value === 'string' && value.trim() === '')
