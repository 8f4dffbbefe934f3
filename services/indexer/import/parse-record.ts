import { repeatedMember } from './repeated-member.js'
import { isRecord } from './source.js'

/** Parses the JSON text of one record. Rejects a repeated member: either value may be meant. */
export function parseRecord(text: string): { record: Record<string, unknown> } | { reason: string } {
  try {
    const record: unknown = JSON.parse(text)
    if (!isRecord(record)) {
      return { reason: 'is not a JSON object' }
    }
    const twice = repeatedMember(text, record)
    return twice === null ? { record } : { reason: `has ${JSON.stringify(twice)} twice: leave one of them` }
  } catch (error) {
    return { reason: `is not valid JSON: ${error instanceof Error ? error.message : error}` }
  }
}
