import type { Stores } from '../../shared/adapters/stores.js'
import type { FoundSkill } from '../../shared/ports/skill-reader.js'
import { type Skill, skillOf } from '../../shared/records/skill.js'
import { aQuery } from './factories.js'

/** The names of the skills that a search finds, in alphabetical order. */
export const foundNames = async (index: Pick<Stores['index'], 'search'>, text: string): Promise<string[]> =>
  (await index.search(aQuery(text, { limit: 100 }))).hits.map((hit) => skillOf(hit).name).sort()

/** The result for an id, with its skill in place of the JSON. */
export const parseFound = (
  found: FoundSkill,
): Exclude<FoundSkill, { record: string }> | { state: string; skill: Skill } =>
  found.state === 'published' ? { state: found.state, skill: skillOf(found) } : found
