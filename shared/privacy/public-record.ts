import { maxCharacters } from '../records/fields.js'
import { cleanLine, cleanText, mayHoldAddress, mayHoldCredentials } from '../text/clean-text.js'
import { publicPromptId } from '../text/prompt-id.js'
import { holdsAddress, removeAddresses, removeCredentials, toPublicAddress } from './personal-addresses.js'

/** What stands for a text that a record must have, and of which nothing is left. */
const nothing = '…'

const line =
  (maxLength: number) =>
  (text: string): string | null =>
    shown(cleanLine(text), maxLength)

const shown = (text: string | null, maxLength: number): string | null =>
  text === null ? null : removeAddresses(text, maxLength)

const address = (text: string): string | null => toPublicAddress(cleanLine(text))

/** How the public texts of all record types are cleaned; null: nothing is left. */
const cleaners: [field: string, clean: (text: string) => string | null][] = [
  ['name', line(maxCharacters.name)],
  ['title', line(maxCharacters.promptTitle)],
  ['license', line(maxCharacters.license)],
  ['language', line(maxCharacters.language)],
  ['version', line(maxCharacters.version)],
  ['type', line(maxCharacters.promptType)],
  ['description', (text) => shown(cleanText(text), maxCharacters.description)],
  ['content', (text) => removeAddresses(cleanText(text) ?? nothing)],
  ['url', address],
  ['homepage', address],
  ['avatarUrl', address],
  ['author', (text) => (mayHoldAddress(text) || removeCredentials(text) !== text ? null : cleanLine(text))],
]

/** Whether the JSON of a record may have something that must not be published. Cheap, and false for most. */
export const mayNeedCleaning = (json: string): boolean =>
  /[^\n -~]/.test(json) || mayHoldAddress(json) || mayHoldCredentials(json)

/**
 * Removes e-mail addresses, credentials and invisible characters from the public fields of a record, for records that an
 * earlier version has stored.
 *
 * @returns the same object when there is nothing to remove
 */
export function cleanRecord<R extends object>(record: R): R {
  const members = record as Record<string, unknown>
  const changed: Record<string, unknown> = {}
  for (const [field, clean] of cleaners) {
    const text = members[field]
    const cleaned = typeof text === 'string' ? clean(text) : text
    if (cleaned !== text) {
      changed[field] = cleaned
    }
  }
  const { name, title, id, topics } = members
  if (changed['title'] === null && title !== null) {
    changed['title'] = nothing
  }
  if (changed['name'] === null && name !== null && members['repo'] !== undefined) {
    changed['name'] = members['repo']
  }
  // The id of a skill is its owner and repository, which stay as they are.
  if (typeof id === 'string' && members['repo'] === undefined) {
    const publicId = publicPromptId(cleanLine(id) ?? id)
    Object.assign(changed, publicId !== id && { id: publicId })
  }
  if (Array.isArray(topics)) {
    const kept = topics.flatMap((topic) => cleanLine(String(topic)) ?? []).filter((topic) => !holdsAddress(topic))
    if (kept.join('\n') !== topics.join('\n')) {
      changed['topics'] = [...new Set(kept)]
    }
  }
  return Object.keys(changed).length === 0 ? record : { ...record, ...changed }
}
