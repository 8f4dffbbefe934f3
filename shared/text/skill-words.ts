import type { Skill } from '../records/skill.js'
import type { searchSettings } from '../search-settings.js'
import { camelCaseParts, wordsIn } from './analyze.js'

/** A field in which words are looked for. */
export type SearchedField = (typeof searchSettings.fieldGroups)[number][number]

/**
 * The words of a skill as every index takes them, by field: entries of folded words. Words of two entries never stand
 * together: topics, and a name beside the parts of its words in camel case.
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
