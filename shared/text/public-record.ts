import { maxCharacters } from '../records/limits.js'
import { mayHoldAddress } from './find-addresses.js'
import { holdsAddress, removeAddresses } from './personal-addresses.js'
import { promptId } from './prompt-id.js'
import { toPublicAddress } from './public-address.js'

/** The public free texts of all record types with their maximum lengths; null: never shortened. */
const freeTexts: [field: string, maxCharacters: number | null][] = [
  ['name', maxCharacters.name],
  ['title', maxCharacters.promptTitle],
  ['description', maxCharacters.description],
  ['content', null],
  ['license', maxCharacters.license],
  ['language', maxCharacters.language],
  ['version', maxCharacters.version],
  ['type', maxCharacters.promptType],
]

const addresses = ['url', 'homepage', 'avatarUrl']

/**
 * Removes e-mail addresses from the public fields of a record, for records that an earlier version has stored.
 *
 * @returns the same object when there is nothing to remove
 */
export function withoutAddresses<R extends object>(record: R): R {
  const members = record as Record<string, unknown>
  const changed: Record<string, unknown> = {}
  for (const [field, maxCharacters] of freeTexts) {
    const text = members[field]
    if (typeof text === 'string' && holdsAddress(text)) {
      changed[field] = removeAddresses(text, maxCharacters ?? undefined)
    }
  }
  for (const field of addresses) {
    const address = members[field]
    if (typeof address === 'string' && toPublicAddress(address) !== address) {
      changed[field] = toPublicAddress(address)
    }
  }
  const { id, author, topics } = members
  if (typeof id === 'string' && holdsAddress(id)) {
    changed['id'] = promptId(id)
  }
  if (typeof author === 'string' && mayHoldAddress(author)) {
    changed['author'] = null
  }
  if (Array.isArray(topics) && topics.some((topic) => holdsAddress(String(topic)))) {
    changed['topics'] = topics.filter((topic) => !holdsAddress(String(topic)))
  }
  return Object.keys(changed).length === 0 ? record : { ...record, ...changed }
}
