import { z } from 'zod'
import { visibleText } from '../../../shared/text/clean-text.js'
import { documentedAs } from '../openapi/documented-as.js'

/** Characters of a search text. */
export const maxQueryLength = 200

/** `q=`. Control characters separate words, as spaces do, and invisible characters count for nothing; all others stay. */
export const QueryText = z
  .string({ error: 'is required: give the words to search for.' })
  .transform((text) => visibleText(text.replace(/\p{Cc}+/gu, ' ')).trim())
  .refine((text) => text !== '', 'is empty: give the words to search for.')
  .refine((text) => [...text].length <= maxQueryLength, `is longer than ${maxQueryLength} characters: shorten it.`)
  .meta(
    documentedAs({ type: 'string', minLength: 1, maxLength: maxQueryLength, pattern: '[^\\s\\x00-\\x1f\\x7f-\\x9f]' }),
  )
