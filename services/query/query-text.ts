import { z } from 'zod'
import { shownAs } from './openapi/shown-as.js'

/** The most characters that somebody may look for. */
export const maxQueryLength = 200

/** `q=`. Control characters separate words, as spaces do; everything else of the user's text stays as it is. */
export const QueryText = z
  .string({ error: 'is required: give the words to look for.' })
  .transform((text) => text.replace(/\p{Cc}+/gu, ' ').trim())
  .refine((text) => text !== '', 'is empty: give the words to look for.')
  .refine((text) => [...text].length <= maxQueryLength, `is longer than ${maxQueryLength} characters: shorten it.`)
  .meta(shownAs({ type: 'string', minLength: 1, maxLength: maxQueryLength, pattern: '[^\\s\\x00-\\x1f\\x7f-\\x9f]' }))
