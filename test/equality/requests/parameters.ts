import { queryCases } from '../../endpoints/parameter-cases.js'
import { get, type SharedRequest } from './shared-request.js'

/** Without an alias, sequences, which differ between catalogs, and completions, which are asked for elsewhere. */
const askedPaths = ['/api/v1/skills', '/api/v1/skills/acme/pdf', '/api/v1/skills/search', '/api/v1/export']

/** Requests with valid parameters; no store is asked about invalid ones. */
export const parameterRequests: Record<string, SharedRequest[]> = {
  'every documented value of the parameters': get(...validValues()),
}

/** Requests with each valid value of the parameter tables. */
function validValues(): string[] {
  return Object.entries(queryCases)
    .filter(([path]) => askedPaths.includes(path))
    .flatMap(([path, { least, parameters, together = [] }]) => [
      ...Object.entries(parameters).flatMap(([name, { valid }]) => {
        const { [name]: _itself, ...others } = least
        return valid.map((value) => `${path}?${new URLSearchParams(others)}&${name}=${value}`)
      }),
      ...together.map((query) => `${path}?${query}`),
    ])
}
