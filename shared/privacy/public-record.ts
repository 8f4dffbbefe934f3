import { maxCharacters } from '../records/fields.js'
import { cleanLine, cleanText, mayHoldAddress, mayHoldCredentials } from '../text/clean-text.js'
import { publicPromptId } from '../text/prompt-id.js'
import { holdsAddress, removeAddresses, toPublicAddress } from './personal-addresses.js'

/** The public texts of one line of all record types with their maximum lengths. */
const lines: [field: string, maxCharacters: number][] = [
  ['name', maxCharacters.name],
  ['title', maxCharacters.promptTitle],
  ['license', maxCharacters.license],
  ['language', maxCharacters.language],
  ['version', maxCharacters.version],
  ['type', maxCharacters.promptType],
]

const addresses = ['url', 'homepage', 'avatarUrl']

/** What stands for a text that a record must have, and of which nothing is left. */
const nothing = '…'

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
  const note = (field: string, value: unknown) => {
    if (value !== members[field]) {
      changed[field] = value
    }
  }
  for (const [field, length] of lines) {
    const text = members[field]
    if (typeof text === 'string') {
      note(
        field,
        orNull(cleanLine(text), (line) => removeAddresses(line, length)),
      )
    }
  }
  const { name, title, description, content, id, author, topics } = members
  if (typeof description === 'string') {
    note(
      'description',
      orNull(cleanText(description), (text) => removeAddresses(text, maxCharacters.description)),
    )
  }
  if (typeof content === 'string') {
    note('content', removeAddresses(cleanText(content) ?? nothing))
  }
  if (changed['title'] === null && title !== null) {
    changed['title'] = nothing
  }
  if (changed['name'] === null && name !== null && members['repo'] !== undefined) {
    changed['name'] = members['repo']
  }
  for (const field of addresses) {
    const address = members[field]
    if (typeof address === 'string') {
      note(field, toPublicAddress(cleanLine(address)))
    }
  }
  // The id of a skill is its owner and repository, which stay as they are.
  if (typeof id === 'string' && members['repo'] === undefined) {
    note('id', publicPromptId(cleanLine(id) ?? id))
  }
  if (typeof author === 'string') {
    note('author', mayHoldAddress(author) ? null : cleanLine(author))
  }
  if (Array.isArray(topics)) {
    const kept = topics.flatMap((topic) => cleanLine(String(topic)) ?? []).filter((topic) => !holdsAddress(topic))
    if (kept.join('\n') !== topics.join('\n')) {
      changed['topics'] = [...new Set(kept)]
    }
  }
  return Object.keys(changed).length === 0 ? record : { ...record, ...changed }
}

const orNull = (text: string | null, change: (text: string) => string): string | null =>
  text === null ? null : change(text)
