import { expect, test } from '@jest/globals'
import { parseHttpDate } from '../../shared/runtime/http-answers.js'

const nowMs = Date.parse('2026-11-22T00:00:00Z')

test.each([
  ['the current form', 'Sun, 06 Nov 1994 08:49:37 GMT', '1994-11-06T08:49:37.000Z'],
  ['the form of RFC 850', 'Sunday, 06-Nov-94 08:49:37 GMT', '1994-11-06T08:49:37.000Z'],
  ['the form of asctime', 'Sun Nov  6 08:49:37 1994', '1994-11-06T08:49:37.000Z'],
  ['asctime with a day of two digits', 'Thu Jan 22 00:00:00 2026', '2026-01-22T00:00:00.000Z'],
  ['two digits, less than 50 years ahead', 'Wednesday, 01-Jan-76 00:00:00 GMT', '2076-01-01T00:00:00.000Z'],
  ['two digits, more than 50 years ahead', 'Thursday, 23-Dec-76 00:00:00 GMT', '1976-12-23T00:00:00.000Z'],
])('%s is parsed', (_, text, time) => {
  expect(parseHttpDate(text, nowMs)).toBe(Date.parse(time))
})

test.each([
  ['nothing', ''],
  ['a number, which Date.parse accepts as a year', '99999'],
  ['a year', '2026'],
  ['ISO 8601', '2026-11-22T00:00:00Z'],
  ['a date alone', '22 Nov 2026'],
  ['another zone', 'Sun, 22 Nov 2026 00:00:00 +0100'],
  ['a zone by name', 'Sun, 22 Nov 2026 00:00:00 PST'],
  ['no zone', 'Sun, 22 Nov 2026 00:00:00'],
  ['another weekday than that of the day', 'Mon, 22 Nov 2026 00:00:00 GMT'],
  ['a day that the month does not have', 'Sun, 31 Feb 2026 00:00:00 GMT'],
  ['an hour that no day has', 'Sun, 22 Nov 2026 24:00:00 GMT'],
  ['a day of one digit', 'Sun, 1 Nov 2026 00:00:00 GMT'],
  ['lower case', 'sun, 22 nov 2026 00:00:00 gmt'],
  ['text after it', 'Sun, 22 Nov 2026 00:00:00 GMT, 1'],
  ['the text of an invalid date', 'Invalid Date'],
  ['asctime of a day that does not exist', 'Sun Feb 31 00:00:00 2026'],
  ['RFC 850 with four digits', 'Sunday, 22-Nov-2026 00:00:00 GMT'],
])('%s is no HTTP-date', (_, text) => {
  expect(parseHttpDate(text, nowMs)).toBeNull()
})
