import { comparableName, lifecycleMembers, lifecycleObjects } from '../../../shared/records/field-names.js'

/** The maximum length of the JSON text of other members that is stored with a record. */
const maxCharacters = 4_096

/** Names that any store accepts: no operators, no paths, no `__proto__`. */
const plainName = /^(?!__)[A-Za-z][\w-]{0,63}$/

/**
 * The other members of a source's record, which are stored with it and never published. Members with a known name are
 * left out, so that none can override a field of the catalog, and so are those that exceed the limit, in their order.
 *
 * @param known the comparable names that have a meaning
 */
export function keepExtras(record: Record<string, unknown>, known: ReadonlySet<string>): Record<string, unknown> {
  const extras: Record<string, unknown> = {}
  let room = maxCharacters
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
    const text = JSON.stringify(lifecycleObjects.has(comparableName(name)) ? withoutLifecycle(value) : value) ?? ''
    const size = name.length + text.length + 4
    if (text !== '' && size <= room) {
      // By its text, so that only JSON values are stored.
      extras[name] = JSON.parse(text)
      room -= size
    }
  }
  return extras
}

const lifecycle: ReadonlySet<string> = new Set(Object.values(lifecycleMembers).flat())

/** A stored record has its state instead, which an operator may change. */
function withoutLifecycle(value: unknown): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    return value
  }
  const members = Object.entries(value).filter(([name]) => !lifecycle.has(comparableName(name)))
  return Object.fromEntries(members.map(([name, member]) => [name, withoutLifecycle(member)]))
}
