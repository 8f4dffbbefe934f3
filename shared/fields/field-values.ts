import { comparableName } from '../records/field-names.js'
import { plainValue } from './plain-value.js'

/** A value of an input, under the name that the input gives it. */
export interface GivenValue {
  name: string
  value: unknown
}

/** Finds the values that an input has for a field, in order of preference. None of them is null or blank. */
export type FieldValues<Field extends string> = (field: Field) => GivenValue[]

/** The values of a record whose names are compared without case and punctuation. */
export const valuesByComparableName = <Field extends string>(
  record: Record<string, unknown>,
  names: Record<Field, readonly string[]>,
): FieldValues<Field> => findValues(record, names, comparableName)

/** The values of a document, by exactly these names. */
export const valuesByExactName = <Field extends string>(
  document: Record<string, unknown>,
  names: Record<Field, readonly string[]>,
): FieldValues<Field> => findValues(document, names, (name) => name)

/** The fields that a name may be of, each with its place in the order of the field's names. */
type Places = Map<string, { field: string; place: number }[]>

/** For each table of names: a record has few of the many names, so that its members are looked up and not the names. */
const placesByTable = new WeakMap<object, Places>()

/**
 * @param names the names of each field, in order of preference
 * @param spell a member's name as the table spells it
 */
function findValues<Field extends string>(
  record: Record<string, unknown>,
  names: Record<Field, readonly string[]>,
  spell: (name: string) => string,
): FieldValues<Field> {
  const places = placesOf(names)
  const found = new Map<string, (GivenValue & { place: number })[]>()
  for (const [name, given] of Object.entries(record)) {
    const fields = places.get(spell(name))
    const value = fields === undefined ? null : plainValue(given)
    if (fields !== undefined && (isPresent(value) || (value === '' && fields.some(mayBeEmpty)))) {
      for (const { field, place } of fields) {
        const values = found.get(field)
        if (values === undefined) {
          found.set(field, [{ name, value, place }])
        } else {
          values.push({ name, value, place })
        }
      }
    }
  }
  for (const values of found.values()) {
    if (values.length === 1) {
      continue
    }
    values.sort((a, b) => a.place - b.place || Number(isPlain(b.name)) - Number(isPlain(a.name)))
  }
  return (field) => found.get(field) ?? []
}

/** The folder of a skill in the root of its repository has an empty path. */
const mayBeEmpty = ({ field }: { field: string }): boolean => field === 'path'

function placesOf(names: Record<string, readonly string[]>): Places {
  let places = placesByTable.get(names)
  if (places === undefined) {
    places = new Map()
    for (const [field, list] of Object.entries(names)) {
      for (const [place, name] of list.entries()) {
        places.set(name, [...(places.get(name) ?? []), { field, place }])
      }
    }
    placesByTable.set(names, places)
  }
  return places
}

/** Spelled as in the table. Of two spellings of a name it comes first, as in documents: `fullName`, then `full_name`. */
const isPlain = (name: string): boolean => /^[\p{L}\p{N}]+$/u.test(name)

/** Databases write \N for no value in text of any kind. */
const isPresent = (value: unknown): boolean => {
  const text = typeof value === 'string' ? value.trim() : value
  return text !== null && text !== undefined && text !== '' && text !== '\\N'
}
