import fc from 'fast-check'
import { isNoValue } from '../../shared/fields/field-values.js'
import { maxCharacters } from '../../shared/records/fields.js'
import type { StoredSkill } from '../../shared/records/skill.js'
import { cleanLine, cleanText } from '../../shared/text/clean-text.js'
import { aSkill } from '../support/factories.js'

/** Texts with a meaning somewhere: in engines, spreadsheets, SQL, URLs and JavaScript. */
const meaningful = fc.constantFrom(
  ...['"', "'", '\\', '`', '*', '-', '^', '(', ')', '{', '}', '[', ']', ':', ';', ',', '|', '=', '+', '@', '%', '_'],
  ...['AND', 'OR', 'NOT', 'NEAR', 'IN', 'TO', 'EXISTS', 'null', 'true', '--', '/*', '\u00a0', '\u2028', '\ufeff', '＝'],
  ...['__proto__', '<b>', 'İ', 'ß', 'ﬁ', 'é', 'e\u0301', '世界', '👩‍💻', '\u202e', 'pdf', 'PDF', 'a', ' '],
)

/** Any text without lone surrogates; NUL and other control characters included. */
export const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.array(meaningful, { maxLength: 8 }).map((parts) => parts.join('')),
)

/** A text as an import would store it: one that stands for no value is not stored. */
const stored = (text: string | null): string => (text === null || isNoValue(text) ? 'x' : text)

/** A line of text as an import would store it. */
export const anyLine = anyText.map((text) => stored(cleanLine(text.slice(0, maxCharacters.name))))

/** A value that is sometimes null. */
const orNull = <Value>(known: fc.Arbitrary<Value>): fc.Arbitrary<Value | null> =>
  fc.option(known, { nil: null, freq: 4 })

/** Few values, so that many skills have the same one. */
const anyTime = orNull(fc.integer({ min: 1, max: 4 }).map((day) => `2026-01-0${day}T00:00:00.000Z`))

const anyCount = orNull(fc.oneof(fc.nat(3), fc.nat(1_000_000)))

/** The content of a published skill, without owner and repository. */
export const anyContent: fc.Arbitrary<Partial<StoredSkill>> = fc.record({
  name: fc.oneof(anyLine, fc.constantFrom('same', 'Same', 'other')),
  description: orNull(anyText.map((text) => stored(cleanText(text.slice(0, maxCharacters.description))))),
  topics: fc.uniqueArray(
    fc.oneof(
      fc.constantFrom('pdf', 'csv'),
      anyLine.map((line) => line.toLowerCase()),
    ),
    { maxLength: 4 },
  ),
  license: orNull(fc.oneof(fc.constantFrom('Own terms', 'own terms'), anyLine)),
  language: orNull(fc.oneof(fc.constantFrom('Go', 'C++'), anyLine)),
  stars: anyCount,
  forks: anyCount,
  archived: fc.boolean(),
  createdAt: anyTime,
  updatedAt: anyTime,
})

/** One of a number of skills, in any state, so that writes overwrite each other. */
export const anyWrite = (skills: number): fc.Arbitrary<StoredSkill> =>
  fc
    .tuple(fc.nat(skills - 1), anyContent, fc.constantFrom('published', 'published', 'published', 'hidden', 'removed'))
    .map(([n, content, state]) =>
      aSkill({
        repo: `skill-${n}`,
        ...content,
        state,
        removedAt: state === 'removed' ? '2026-01-05T00:00:00.000Z' : null,
      }),
    )
