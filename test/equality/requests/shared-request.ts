/** A request, and whether the following pages are requested too. */
export interface SharedRequest {
  method: string
  path: string
  headers?: Record<string, string>
  /** `next`: the target of `Link: …; rel="next"` is requested too, and so on to the end. */
  follow?: 'next'
}

/** Requests for these paths. */
export const get = (...paths: string[]): SharedRequest[] => paths.map((path) => ({ method: 'GET', path }))

/** Requests for these paths, each with these headers. */
export const getWith = (headers: Record<string, string>, ...paths: string[]): SharedRequest[] =>
  paths.map((path) => ({ method: 'GET', path, headers }))

/** Requests for these paths, and for their following pages. */
export const walk = (...paths: string[]): SharedRequest[] =>
  paths.map((path) => ({ method: 'GET', path, follow: 'next' }))

/** Lists of skills, each with these parameters. */
export const list = (...queries: string[]): string[] => queries.map((query) => `/api/v1/skills?${query}`)

/** Searches for texts, each with the same further parameters. */
export const search = (more: string, ...texts: string[]): string[] =>
  texts.map((text) => `/api/v1/skills/search?q=${encodeURIComponent(text)}${more}`)

/** Completions of these texts. */
export const suggestions = (...texts: string[]): string[] =>
  texts.map((text) => `/api/v1/skills/suggest?q=${encodeURIComponent(text)}`)
