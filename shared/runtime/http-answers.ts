import { visibleText } from '../text/clean-text.js'
import { parseHttpDate } from './parse-http-date.js'

/**
 * The value of a JSON text; undefined for text that is not JSON.
 *
 * @param reviver as of `JSON.parse`
 */
export function parseJson(text: string, reviver?: (key: string, value: unknown) => unknown): unknown {
  try {
    return JSON.parse(text, reviver)
  } catch {
    return undefined
  }
}

/** A reviver for the JSON of a server that is not trusted: texts lose their invisible characters. */
export const onlyVisible = (_key: string, value: unknown): unknown =>
  typeof value === 'string' ? visibleText(value) : value

/** Why a request by `fetch` failed: it puts the system error into its error's `cause`. */
export function fetchFailure(error: unknown): string {
  const cause = Object(error).cause ?? error
  return String(Object(cause).code ?? Object(cause).message ?? cause)
}

/** `Retry-After`, seconds or a date (RFC 9110, 10.2.3), in milliseconds; null without one. */
export function readRetryAfter(headers: Pick<Headers, 'get'>): number | null {
  const value = headers.get('retry-after') ?? ''
  if (/^\d{1,15}$/.test(value)) {
    return Number(value) * 1_000
  }
  const dateMs = parseHttpDate(value)
  return dateMs === null ? null : Math.max(0, dateMs - Date.now())
}
