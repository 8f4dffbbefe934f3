/** A value that some sources wrap in an object, under the first of these names that exists. */
export function unwrap(value: unknown, names: string[]): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    return value
  }
  const members = value as Record<string, unknown>
  const found = names.map((name) => members[name]).find((member) => member !== undefined && member !== null)
  return found ?? (Object.keys(members).length === 0 ? undefined : value)
}
