import type { Random } from '../../services/indexer/seed/random.js'
import { pick } from '../soak/pick.js'
import { type RelevanceSkill, type Vocabulary, wordsOf } from './words.js'

/** Words are picked from so many of the rarest: only the rarest one would find its record by itself. */
const rarest = 6

/** Without any of these words a description is rarely an English sentence. */
const english = /\b(?:and|for|from|of|that|the|to|with|your)\b/i

/** A form of fewer records may be a fragment or a typo. */
const minCount = 2

const templates = [
  'how do I _ _ with _',
  'is there something for _ and _ that has _',
  'which one can _ the _ in a _',
  'I need to _ my _ with _',
  'what is a good way to get _ _ and _',
  'help me with _ _ for _',
  'I am looking for something that can _ the _ for my _',
]

/** So many informative words of the description, in their order. @returns null when it has fewer */
export function descriptionWords(
  skill: RelevanceSkill,
  count: number,
  vocabulary: Vocabulary,
  random: Random,
): string | null {
  const words = vocabulary.informativeWords(skill)
  return words.length < count ? null : inOrder(words, pickRare(words, count, vocabulary, random)).join(' ')
}

/** Three informative words of an English description in a sentence. @returns null for other descriptions */
export function sentenceAbout(skill: RelevanceSkill, vocabulary: Vocabulary, random: Random): string | null {
  if (!english.test(skill.description ?? '')) {
    return null
  }
  const words = descriptionWords(skill, 3, vocabulary, random)?.split(' ')
  return words === undefined ? null : pick(random, templates).replaceAll('_', () => words.shift() ?? '')
}

/**
 * Two or three informative words of the description, one or two of them in a form that the record does not have.
 *
 * @returns null when it has none with another form
 */
export function inflectedWords(skill: RelevanceSkill, vocabulary: Vocabulary, random: Random): string | null {
  const words = vocabulary.informativeWords(skill)
  const own = new Set(wordsOf([skill.name, skill.repo, skill.description, ...skill.topics].join(' ').toLowerCase()))
  const forms = new Map(words.map((word) => [word, otherForms(word, vocabulary).filter((form) => !own.has(form))]))
  const changeable = words.filter((word) => forms.get(word)?.length)
  const changed = pickRare(changeable, 2, vocabulary, random)
  const others = words.filter((word) => !changed.includes(word))
  const picked = [...changed, ...pickRare(others, 3 - changed.length, vocabulary, random)]
  return changed.length === 0 || picked.length < 2
    ? null
    : inOrder(words, picked)
        .map((word) => (changed.includes(word) ? pick(random, forms.get(word) ?? []) : word))
        .join(' ')
}

/** Up to `count` of the rarest words. */
function pickRare(words: string[], count: number, vocabulary: Vocabulary, random: Random): string[] {
  const rare = [...words].sort((a, b) => vocabulary.count(a) - vocabulary.count(b)).slice(0, rarest)
  const picked: string[] = []
  while (picked.length < count && rare.length > 0) {
    picked.push(...rare.splice(random.between(0, rare.length - 1), 1))
  }
  return picked
}

const inOrder = (words: string[], picked: string[]): string[] => words.filter((word) => picked.includes(word))

/**
 * Other forms of an English word, made with -s, -ed, -ing and -er by simple rules; only those that records have, since
 * the rules alone also make forms that are no words.
 */
function otherForms(word: string, vocabulary: Vocabulary): string[] {
  if (!/^[a-z]{4,}$/.test(word)) {
    return []
  }
  const bases = basesOf(word).filter(
    (base) => base === word || (/[aeiouy]/.test(base) && base.length >= 3 && vocabulary.count(base) >= minCount),
  )
  const forms = new Set(bases.flatMap((base) => [base, ...formsOf(base)]))
  forms.delete(word)
  return [...forms].filter((form) => vocabulary.count(form) >= minCount)
}

/** What the word may be a form of, itself included. */
function basesOf(word: string): string[] {
  const bases = [word]
  const [, stem = '', ending = ''] = /^(.+?)(ies|ied|ier|s|ed|ing|er)$/.exec(word) ?? []
  if (ending.startsWith('i') && ending !== 'ing') {
    bases.push(`${stem}y`)
  } else if (ending === 's' && !/[sui]$/.test(stem)) {
    bases.push(stem)
    if (/(?:s|x|z|ch|sh)e$/.test(stem)) {
      bases.push(stem.slice(0, -1))
    }
  } else if (ending !== 's' && ending !== '') {
    bases.push(stem, `${stem}e`)
    if (/([^aeiou])\1$/.test(stem)) {
      bases.push(stem.slice(0, -1))
    }
  }
  return bases
}

function formsOf(base: string): string[] {
  if (/[^aeiou]y$/.test(base)) {
    const stem = base.slice(0, -1)
    return [`${stem}ies`, `${stem}ied`, `${stem}ier`, `${base}ing`]
  }
  const plural = /(?:s|x|z|ch|sh)$/.test(base) ? `${base}es` : `${base}s`
  const stem = base.replace(/e$/, '')
  // "plan" has "planning", "edit" has "editing": which of them is a word is for the vocabulary to decide.
  const stems = /[^aeiou][aeiou][^aeiouwxy]$/.test(base) ? [stem, `${stem}${stem.at(-1)}`] : [stem]
  return [plural, ...stems.flatMap((each) => [`${each}ed`, `${each}ing`, `${each}er`])]
}
