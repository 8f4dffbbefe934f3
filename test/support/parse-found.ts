import type { FoundSkill } from '../../shared/ports/skill-reader.js'
import { type Skill, skillOf } from '../../shared/records/skill.js'

/** The result for an id, with its skill in place of the JSON. */
export const parseFound = (
  found: FoundSkill,
): Exclude<FoundSkill, { record: string }> | { state: string; skill: Skill } =>
  found.state === 'published' ? { state: found.state, skill: skillOf(found) } : found
