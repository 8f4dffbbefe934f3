import { visibleText } from '../text/clean-text.js'

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

/** `Sunday, 06-Nov-94 08:49:37 GMT`: day, month, year of two digits, time. */
const rfc850Form = /^(Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, (\d\d)-([A-Z][a-z]{2})-(\d\d) (\d\d:\d\d:\d\d) GMT$/
/** `Sun Nov  6 08:49:37 1994`: weekday, month, day, time, year. */
const asctimeForm = /^([A-Z][a-z]{2}) ([A-Z][a-z]{2}) (\d\d| \d) (\d\d:\d\d:\d\d) (\d{4})$/

/**
 * Parses an HTTP-date in one of the three forms of RFC 9110, section 5.6.7. `Date.parse` is unsuitable: it accepts a
 * bare number as a year, and treats times without a zone as local ones.
 *
 * @param nowMs epoch milliseconds: a two-digit year is the last such year that is at most 50 years ahead
 * @returns epoch milliseconds; null when the text is no HTTP-date, or its date does not exist
 */
export function parseHttpDate(text: string, nowMs: number = Date.now()): number | null {
  const fixed = toFixedForm(text, nowMs)
  const date = new Date(fixed)
  // `toUTCString` writes the current form: weekday, day and time are valid when it returns the same text.
  return date.toUTCString() === fixed && !Number.isNaN(date.getTime()) ? date.getTime() : null
}

/** Converts both obsolete forms to the current one, `Sun, 06 Nov 1994 08:49:37 GMT`; returns other texts unchanged. */
function toFixedForm(text: string, nowMs: number): string {
  const [, weekday = '', day = '', month = '', shortYear = '', time = ''] = rfc850Form.exec(text) ?? []
  if (weekday !== '') {
    const latest = new Date(nowMs)
    latest.setUTCFullYear(latest.getUTCFullYear() + 50)
    const century = latest.getUTCFullYear() - (latest.getUTCFullYear() % 100)
    const inCentury = (year: number) => `${weekday.slice(0, 3)}, ${day} ${month} ${year} ${time} GMT`
    const year = century + Number(shortYear)
    return Date.parse(inCentury(year)) > latest.getTime() ? inCentury(year - 100) : inCentury(year)
  }
  const [, name = '', monthName = '', date = '', clock = '', year = ''] = asctimeForm.exec(text) ?? []
  return name === '' ? text : `${name}, ${date.replace(' ', '0')} ${monthName} ${year} ${clock} GMT`
}
