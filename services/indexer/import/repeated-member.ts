/**
 * The first name that an object has twice, in JSON text that is known to be valid; null when every name is there once.
 * JSON.parse would quietly keep the last of the two, and nobody can tell which one was meant. Only the outermost
 * object is looked at: it holds the fields.
 */
export function repeatedMember(json: string): string | null {
  const seen = new Set<string>()
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
      if (seen.has(name)) {
        return name
      }
      seen.add(name)
    }
  }
  return null
}
