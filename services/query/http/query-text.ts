import { z } from 'zod'
import { visibleText } from '../../../shared/text/clean-text.js'
import { documentedAs } from '../openapi/documented-as.js'

/** Characters of a search text: a whole task as an agent got it. */
export const maxQueryLength = 2_000

/** Characters of a text that is being typed into a search box: a name that is to be completed is shorter. */
export const maxTypedLength = 200

/** Control characters separate words, as spaces do, and invisible characters count for nothing; all others stay. */
const textOf = (maxLength: number) =>
  z
    .string({
      error: ({ input }) =>
        `${input === undefined || input === null ? 'is required' : 'is not text'}: give the words to search for.`,
    })
    .transform((text) => visibleText(text.replace(/\p{Cc}+/gu, ' ')).trim())
    .refine((text) => text !== '', 'is empty: give the words to search for.')
    .refine((text) => [...text].length <= maxLength, `is longer than ${maxLength} characters: shorten it.`)
    .meta(documentedAs({ type: 'string', minLength: 1, maxLength, pattern: '[^\\s\\x00-\\x1f\\x7f-\\x9f]' }))

/** `q=` of a search. */
export const QueryText = textOf(maxQueryLength)

/** `q=` of suggestions. */
export const TypedText = textOf(maxTypedLength)
