import { recognizeStranger, unwrapRecord } from './envelopes.js'
import { repeatedMember } from './repeated-member.js'
import { isRecord } from './source.js'

/**
 * Parses the JSON text of one record, also in an object around it. Rejects a repeated member, since either value may be
 * meant, and documents of other kinds.
 */
export function parseRecord(text: string): { record: Record<string, unknown> } | { reason: string } {
  try {
    const record = parseJson(text)
    if (!isRecord(record)) {
      return { reason: 'is not a JSON object' }
    }
    const twice = repeatedMember(text, record)
    if (twice !== null) {
      return { reason: `has ${JSON.stringify(twice)} twice: leave one of them` }
    }
    const stranger = recognizeStranger(record)
    return stranger === null ? { record: unwrapRecord(record) } : { reason: stranger }
  } catch (error) {
    return { reason: `is not valid JSON: ${error instanceof Error ? error.message : error}` }
  }
}

/** JSON text in which Python has written numbers that are none, for instance of a data frame: they are null. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (!/NaN|Infinity/.test(text)) {
      throw error
    }
    return JSON.parse(
      text.replace(/"(?:[^"\\]|\\.)*"|-?\b(?:NaN|Infinity)\b/g, (part) => (part.startsWith('"') ? part : 'null')),
    )
  }
}
