import { comparableName } from './field-names.js'

/** How much of what a source says beyond our fields is kept with a record, as JSON text. */
const mostCharacters = 4_096

/** Names that any store takes: no operators, no paths, no object's inner workings. */
const plainName = /^(?!__)[A-Za-z][\w-]{0,63}$/

/**
 * What else a source says of a record: kept with it and never shown. Members that the record is read by are left out,
 * so nothing here can override a field of ours, and so is what does not fit any more, in the source's order.
 *
 * @param known the comparable names that the record is read by
 */
export function keepExtras(record: Record<string, unknown>, known: ReadonlySet<string>): Record<string, unknown> {
  const extras: Record<string, unknown> = {}
  let room = mostCharacters
  for (const [name, value] of Object.entries(record)) {
    if (
      value === null ||
      value === undefined ||
      value === '' ||
      !plainName.test(name) ||
      known.has(comparableName(name))
    ) {
      continue
    }
    const text = JSON.stringify(value) ?? ''
    const size = name.length + text.length + 4
    if (text !== '' && size <= room) {
      // Through its text: what is stored is what can be written, whatever the reader of the source made.
      extras[name] = JSON.parse(text)
      room -= size
    }
  }
  return extras
}
