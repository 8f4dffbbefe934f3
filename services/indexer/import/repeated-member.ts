/**
 * The first repeated member of an object, in JSON text that is known to be valid; null: no member is repeated.
 * JSON.parse would keep the last of the two, but either may be meant. Checks only the outermost object: it has the
 * fields.
 *
 * @param record the same, parsed: it has each name once
 */
export function repeatedMember(json: string, record: object): string | null {
  const names: string[] = []
  let depth = 0
  let text = ''
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]:]/g)) {
    if (token === '{' || token === '[') {
      depth += 1
    } else if (token === '}' || token === ']') {
      depth -= 1
    } else if (token !== ':') {
      text = token
    } else if (depth === 1) {
      names.push(text)
    }
  }
  if (names.length === Object.keys(record).length) {
    return null
  }
  const known = new Set<string>()
  const parsed = names.map((name) => String(JSON.parse(name)))
  return parsed.find((name) => known.size === known.add(name).size) ?? null
}
