import { importNames } from '../records/field-names.js'
import { isRecordState } from '../records/fields.js'
import { type GivenValue, valuesByComparableName } from './field-values.js'
import { readFrontMatter } from './front-matter.js'
import { mapFields } from './map-fields.js'

/** Front matter that does not end within so many characters is read as far as it goes. */
const maxFrontMatter = 65_536

/**
 * Withdraws a published skill whose text begins with front matter that does: its author may say it there. Where that cannot
 * be understood, no schema accepts the state.
 *
 * @param fields as `mapFields` returns them
 * @param refused the reason of a state that no schema accepts
 * @param texts the text of its SKILL.md, under any of its names
 */
export function withdrawByText(
  fields: Record<string, unknown>,
  refused: Map<string, string>,
  texts: readonly GivenValue[],
): void {
  for (const { value } of texts) {
    if (fields['state'] === 'published' && typeof value === 'string') {
      const { state, reason } = stateIn(value)
      fields['state'] = state
      if (reason !== null) {
        refused.set('state', reason)
      }
    }
  }
}

/** What the front matter says of the state of its skill. */
function stateIn(text: string): { state: string; reason: string | null } {
  // Most texts have none, and to look for it takes longer than to read their records.
  const front = /^[\s\ufeff]*(?:-{3}|\+{3})/.test(text) ? readFrontMatter(text.slice(0, maxFrontMatter)) : null
  if (front === null || 'reason' in front) {
    return front?.mayWithdraw ? unclear(front.reason) : { state: 'published', reason: null }
  }
  const members = { ...front.members, owner: 'any', repo: 'any' }
  const { fields, refused } = mapFields('skills', (names) => valuesByComparableName(members, names), importNames)
  const state = String(fields['state'])
  return isRecordState(state) ? { state, reason: null } : unclear(refused.get('state') ?? state)
}

function unclear(why: string): { state: string; reason: string } {
  const reason = `the front matter of its text: ${why}`
  return { state: reason, reason }
}
