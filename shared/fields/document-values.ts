import { comparableName, documentNames, importNames } from '../records/field-names.js'
import { lifecycleFields } from '../records/lifecycle-names.js'
import { recordTypes } from '../records/records.js'
import { type FieldValues, findValues, type Places, placesOf } from './field-values.js'

/**
 * The values of a document, by exactly these names. What withdraws it counts in any spelling, as in an import, unless its
 * operator has named the field: the libraries of some languages write `isprivate` or `IsPrivate`, tables
 * `repository.private`.
 */
export function documentValues<Field extends string>(
  document: Record<string, unknown>,
  names: Record<Field, readonly string[]>,
): FieldValues<Field> {
  const withdrawing = withdrawingPlaces(names)
  return findValues(
    document,
    names,
    (name) => name,
    (name) => placesIn(withdrawing, name),
  )
}

/** The names of members that may withdraw a document, but are not spelled as the table has them. */
export function otherSpellings(document: object, names: Partial<Record<string, readonly string[]>>): string[] {
  const withdrawing = withdrawingPlaces(names)
  const exact = placesOf(names as Record<string, readonly string[]>)
  return Object.keys(document).filter((name) => !exact.has(name) && placesIn(withdrawing, name) !== undefined)
}

/** A name such as `_status` is one of its writer's own. */
const placesIn = (withdrawing: Places, name: string) =>
  /^\p{L}/u.test(name) ? withdrawing.get(comparableName(name)) : undefined

const withdrawingByTable = new WeakMap<object, Places>()

/** The fields that withdraw a document and have the names of the table, by all of their comparable names. */
function withdrawingPlaces(names: Partial<Record<string, readonly string[]>>): Places {
  let places = withdrawingByTable.get(names)
  if (places === undefined) {
    const rows = lifecycleFields
      .filter((field) => recordTypes.some((type) => documentNames[type][field] === names[field]))
      .map((field) => [field, importNames.skills[field]])
    places = placesOf(Object.fromEntries(rows))
    withdrawingByTable.set(names, places)
  }
  return places
}
