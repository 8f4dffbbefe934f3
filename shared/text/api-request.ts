/** The path of the search, which a text that is too long for an address asks by POST. */
export const searchPath = '/api/v1/skills/search'

/** Characters of a path and query that the service takes. Proxies and clients take as many (RFC 9110, section 4.1). */
export const maxAddressLength = 8_000

/**
 * The request for an address of the API: GET, or for a search whose path and query are too long for that, POST with the
 * same parameters as JSON.
 *
 * @param address a path with its query, or a whole URL
 * @returns `body` null: by GET
 */
export function apiRequest(address: string): { address: string; body: string | null } {
  const [path = '', query = ''] = address.split('?')
  const origin = /^https?:\/\/[^/]*/.exec(path)?.[0] ?? ''
  if (address.length - origin.length <= maxAddressLength || !path.endsWith(searchPath)) {
    return { address, body: null }
  }
  const parameters = new URLSearchParams(query)
  const values = [...new Set(parameters.keys())].map((name) => {
    const [first, ...others] = parameters.getAll(name)
    return [name, others.length === 0 ? first : [first, ...others]]
  })
  return { address: path, body: JSON.stringify(Object.fromEntries(values)) }
}
