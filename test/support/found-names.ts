import type { Stores } from '../../shared/adapters/stores.js'
import { skillOf } from '../../shared/records/skill.js'
import { aQuery } from './factories.js'

/** The names of the skills that a search finds, in alphabetical order. */
export const foundNames = async (index: Pick<Stores['index'], 'search'>, text: string): Promise<string[]> =>
  (await index.search(aQuery(text, { limit: 100 }))).hits.map((hit) => skillOf(hit).name).sort()
