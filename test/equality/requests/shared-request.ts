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

/** Requests for these paths, and for their following pages. */
export const walk = (...paths: string[]): SharedRequest[] =>
  paths.map((path) => ({ method: 'GET', path, follow: 'next' }))

/** The parts of a text that are separated by a comma and a space. */
export const each = (texts: string): string[] => texts.split(', ')

/** Lists of skills, each with the parameters of one part. */
export const list = (queries: string): string[] => each(queries).map((query) => `/api/v1/skills?${query}`)

/** Searches for each part, all with the same further parameters. */
export const search = (more: string, texts: string): string[] =>
  each(texts).map((text) => `/api/v1/skills/search?q=${encodeURIComponent(text)}${more}`)
