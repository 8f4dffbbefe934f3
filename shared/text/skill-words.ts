import type { Skill } from '../records/skill.js'
import type { searchSettings } from '../search-settings.js'
import { camelCaseParts, wordsIn } from './analyze.js'

/** A searched field. */
export type SearchedField = (typeof searchSettings.fieldGroups)[number][number]

/**
 * The words of a skill for every index, by field: entries of folded words. Words of two entries are never adjacent:
 * topics, or a name and the parts of its camel-case words.
 */
export function skillWords(skill: Skill): Record<SearchedField, string[][]> {
  const entries = (...lists: string[][]) => lists.filter((list) => list.length > 0)
  return {
    name: entries(wordsIn(skill.name), camelCaseParts(skill.name)),
    repo: entries(wordsIn(skill.repo), camelCaseParts(skill.repo)),
    topics: entries(...skill.topics.map(wordsIn)),
    description: entries(wordsIn(skill.description ?? '')),
    owner: entries(wordsIn(skill.owner)),
  }
}
