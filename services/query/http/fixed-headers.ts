import { responseHeaders } from '../openapi/headers.js'

/** A policy that allows nothing; pages have one of their own. */
export const contentSecurityPolicy = "default-src 'none';frame-ancestors 'none'"

/** Every header of the API: browsers hide headers from other origins unless they are listed. */
export const exposedHeaders = [...Object.keys(responseHeaders), 'Content-Encoding', 'Content-Length']

/** Headers that let pages of every origin read a response. */
export const openToAll = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': exposedHeaders.join(','),
}

/**
 * Headers of every answer, names and values in turn: they restrict browsers, and let pages of every origin read it. All
 * data is public, so other sites may embed it. TLS and HSTS are up to the proxy in front.
 */
export const fixedHeaders: readonly string[] = Object.entries({
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'cross-origin',
  ...openToAll,
}).flat()
