import type { Match, SearchHit } from '../ports/search-index.js'
import type { Skill } from '../records/skill.js'
import { type Token, tokenize } from './analyze.js'

/** Something to be found in a text: tokens in a row, of which the last may be only the beginning of a word. */
export interface Sought {
  tokens: string[]
  prefix: boolean
}

/** Where any of `sought` stands in a text, in order; stretches that touch or overlap are one. */
export function findMatches(text: string, sought: Sought[]): Match[] {
  const tokens = tokenize(text)
  const stretches = sought
    .flatMap((each) =>
      tokens.flatMap((_, position) => (standsAt(tokens, position, each) ? [stretchOf(tokens, position, each)] : [])),
    )
    .sort((a, b) => a.start - b.start || a.end - b.end)
  const merged: { start: number; end: number }[] = []
  for (const stretch of stretches) {
    const last = merged.at(-1)
    if (last !== undefined && stretch.start <= last.end) {
      last.end = Math.max(last.end, stretch.end)
    } else {
      merged.push({ ...stretch })
    }
  }
  return merged.map(({ start, end }) => ({ start, length: end - start }))
}

/** Where any of `sought` stands in the texts of a skill. */
export const findSkillMatches = (skill: Skill, sought: Sought[]): NonNullable<SearchHit['matches']> => ({
  name: findMatches(skill.name, sought),
  repo: findMatches(skill.repo, sought),
  owner: findMatches(skill.owner, sought),
  description: skill.description === null ? [] : findMatches(skill.description, sought),
  topics: skill.topics.map((topic) => findMatches(topic, sought)),
})

const standsAt = (tokens: Token[], position: number, { tokens: wanted, prefix }: Sought): boolean =>
  wanted.every((word, offset) => {
    const token = tokens[position + offset]?.text
    return prefix && offset === wanted.length - 1 ? token?.startsWith(word) : token === word
  })

const stretchOf = (tokens: Token[], position: number, { tokens: wanted }: Sought) => ({
  start: tokens[position]?.start ?? 0,
  end: tokens[position + wanted.length - 1]?.end ?? 0,
})
