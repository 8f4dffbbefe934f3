/** `Sunday, 06-Nov-94 08:49:37 GMT`: day, month, year of two digits, time. */
const rfc850Form = /^(Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, (\d\d)-([A-Z][a-z]{2})-(\d\d) (\d\d:\d\d:\d\d) GMT$/
/** `Sun Nov  6 08:49:37 1994`: weekday, month, day, time, year. */
const asctimeForm = /^([A-Z][a-z]{2}) ([A-Z][a-z]{2}) (\d\d| \d) (\d\d:\d\d:\d\d) (\d{4})$/

/**
 * The moment that an HTTP-date names, in one of the three forms of RFC 9110, section 5.6.7. `Date.parse` cannot read a
 * header: it takes a bare number for a year, and times without a zone for local ones.
 *
 * @param nowMs epoch milliseconds: a year of two digits is taken for the last such year that is at most 50 years ahead
 * @returns epoch milliseconds; null when the text is no HTTP-date, or one of no real day
 */
export function parseHttpDate(text: string, nowMs: number = Date.now()): number | null {
  const fixed = toFixedForm(text, nowMs)
  const date = new Date(fixed)
  // The fixed form is the one that `toUTCString` writes: weekday, day and time are right when it writes the same.
  return date.toUTCString() === fixed && !Number.isNaN(date.getTime()) ? date.getTime() : null
}

/** Both obsolete forms in the present one, `Sun, 06 Nov 1994 08:49:37 GMT`; any other text as it is. */
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
