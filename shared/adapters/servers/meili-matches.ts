import type { SearchHit } from '../../ports/search-index.js'
import type { Skill } from '../../records/skill.js'
import { tokenize } from '../../text/analyze.js'
import { findSkillMatches, type Sought } from '../../text/find-matches.js'
import type { SearchText } from '../../text/parse-search-text.js'
import { forgivenTypos, isCorrectable, typosBetween } from '../../text/spelling.js'

/**
 * Where the words of a text stand in a skill that was found by it. The engine's own positions are not used: they are of
 * folded words, in bytes.
 */
export function matchesIn(skill: Skill, text: SearchText): NonNullable<SearchHit['matches']> {
  const sought: Sought[] = [
    ...text.terms.map((term, position) => ({
      tokens: term.tokens,
      prefix: text.lastIsPrefix && position === text.terms.length - 1,
    })),
    ...correctionsIn(skill, text),
  ]
  return findSkillMatches(skill, sought)
}

/** The words of a skill that a term stands for when its typos are forgiven. */
function correctionsIn(skill: Skill, text: SearchText): Sought[] {
  const misspelt = text.terms.flatMap(({ tokens, quoted }) => {
    const [word = ''] = tokens
    const typos = quoted || tokens.length > 1 ? 0 : forgivenTypos(word)
    return typos === 0 ? [] : [{ word, typos }]
  })
  if (misspelt.length === 0) {
    return []
  }
  const texts = [skill.name, skill.repo, skill.owner, skill.description ?? '', ...skill.topics]
  const words = new Set(texts.flatMap((each) => tokenize(each).map((token) => token.text)))
  return [...words]
    .filter((word) =>
      misspelt.some(
        (term) =>
          isCorrectable(word) &&
          Math.abs(word.length - term.word.length) <= term.typos &&
          typosBetween(term.word, word) <= term.typos,
      ),
    )
    .map((word) => ({ tokens: [word], prefix: false }))
}
