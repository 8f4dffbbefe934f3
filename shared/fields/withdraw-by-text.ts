import { comparableName, importNames } from '../records/field-names.js'
import { isRecordState } from '../records/fields.js'
import { valuesByComparableName } from './field-values.js'
import { readFrontMatter } from './front-matter.js'
import { mapFields } from './map-fields.js'

/** Whether an import reads a member of this name as the text of a SKILL.md. */
export const isSkillMd = (name: string): boolean => importNames.skills.skillMd.includes(comparableName(name))

/** Front matter that does not end within so many characters is read as far as it goes. */
const maxFrontMatter = 65_536

/**
 * Withdraws a published skill whose text begins with front matter that does: its author may say it there. Where that cannot
 * be understood, no schema accepts the state. Of any other member counts what is front matter of a SKILL.md for sure, with
 * its name and description, and is understood.
 *
 * @param fields as `mapFields` returns them
 * @param refused the reason of a state that no schema accepts
 * @param isText whether a member of this name has the text of its SKILL.md
 * @returns the name of the member that withdraws it; null: none
 */
export function withdrawByText(
  fields: Record<string, unknown>,
  refused: Map<string, string>,
  record: object,
  isText: (name: string) => boolean,
): string | null {
  for (const [name, value] of fields['state'] === 'published' ? Object.entries(record) : []) {
    const said = typeof value === 'string' ? stateIn(value, isText(name)) : null
    if (said !== null && said.state !== 'published') {
      fields['state'] = said.state
      if (said.reason !== null) {
        refused.set('state', said.reason)
      }
      return name
    }
  }
  return null
}

/** What the front matter of a text says of the state of its skill; null: nothing. */
function stateIn(text: string, isOwn: boolean): { state: string; reason: string | null } | null {
  // Most texts have none, and to look for it takes longer than to read their records.
  const front = /^[\s\ufeff]*(?:-{3}|\+{3})/.test(text) ? readFrontMatter(text.slice(0, maxFrontMatter)) : null
  if (front === null || 'reason' in front) {
    return isOwn && front?.mayWithdraw ? unclear(front.reason) : null
  }
  if (!isOwn && !['name', 'description'].every((name) => typeof front.members[name] === 'string')) {
    return null
  }
  const members = { ...front.members, owner: 'any', repo: 'any' }
  const { fields, refused } = mapFields('skills', valuesByComparableName<string>(members, importNames.skills))
  const state = String(fields['state'])
  return isRecordState(state) ? { state, reason: null } : isOwn ? unclear(refused.get('state') ?? state) : null
}

function unclear(why: string): { state: string; reason: string } {
  const reason = `the front matter of its text: ${why}`
  return { state: reason, reason }
}
