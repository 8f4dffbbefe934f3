import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { JsonScanner } from '../../services/indexer/import/json-scanner.js'

const deaf = { begin: () => undefined, end: () => undefined, scalar: () => undefined, tooDeep: () => undefined }

/** Why the scanner refuses this text, in chunks of this size; null: it is JSON. */
function faultOf(text: string, size: number): string | null {
  const scanner = new JsonScanner(deaf, 1_000)
  try {
    for (let start = 0; start < text.length; start += size) {
      scanner.scan(text.slice(start, start + size))
    }
    scanner.end()
    return null
  } catch (error) {
    return String(error)
  }
}

const accepts = (text: string, size: number): boolean => faultOf(text, size) === null

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Lists of JSON-like values. A list, so that it is one document. */
const anyText = fc
  .oneof(
    fc.json(),
    fc.jsonValue().map((value) => JSON.stringify(value, null, 2)),
    fc
      .array(fc.constantFrom(...'[]{}:,"\\u/ntf0129.eE+- \n', 'true', 'null', '"a"', '\\u00e9', '{"a":1}'), {
        maxLength: 12,
      })
      .map((parts) => parts.join('')),
    fc.double().map(String),
    fc.string({ unit: 'binary' }).map((text) => `"${text}"`),
  )
  .map((text) => `[${text}]`)

test('the scanner accepts exactly what JSON.parse accepts', () => {
  fc.assert(
    fc.property(anyText, fc.integer({ min: 1, max: 10 }), (text, size) => {
      // A list that is closed early is several documents to the scanner, and an error to JSON.parse.
      fc.pre(!/\]\s*[[{"\dtfn-]/.test(text))
      // Numbers that are none are null to an import, and an error to JSON.parse.
      fc.pre(!/NaN|Infinity/.test(text))
      expect([text, accepts(text, size)]).toEqual([text, isJson(text)])
    }),
    { numRuns: 5_000 },
  )
})

test('a changed character is accepted by both or by none', () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(), fc.constantFrom(...'[]{}:,"\\0e.-x \n'), (json, at, character) => {
      const text = `[${json}]`
      const position = at % text.length
      const changed = `${text.slice(0, position)}${character}${text.slice(position + 1)}`
      fc.pre(!/\]\s*[[{"\dtfn-]/.test(changed) && changed.startsWith('['))
      expect([changed, accepts(changed, 7)]).toEqual([changed, isJson(changed)])
    }),
    { numRuns: 5_000 },
  )
})

test('a fault has the same place and reason in chunks of any size', () => {
  const anyFaulty = fc
    .array(
      fc.constantFrom(...'[]{}:,"\\u/ntf019.eE+- \n', 'true', '"a"', '"é', '{"a":', '9'.repeat(70), 'x'.repeat(70)),
      {
        maxLength: 12,
      },
    )
    .map((parts) => parts.join(''))
  fc.assert(
    fc.property(anyFaulty, fc.integer({ min: 1, max: 10 }), (text, size) => {
      expect([text, faultOf(text, size)]).toEqual([text, faultOf(text, text.length)])
    }),
    { numRuns: 5_000 },
  )
})
