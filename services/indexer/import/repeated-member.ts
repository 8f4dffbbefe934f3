/**
 * The first repeated member of an object, in JSON text that is known to be valid; null: no member is repeated.
 * JSON.parse would keep the last of the two, but either may be meant. Checks only the outermost object: it has the
 * fields.
 */
export function repeatedMember(json: string): string | null {
  const names = new Set<string>()
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
      const name = String(JSON.parse(text))
      if (names.has(name)) {
        return name
      }
      names.add(name)
    }
  }
  return null
}
