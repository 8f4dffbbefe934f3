import type { Vocabulary } from './words.js'

/** A form of fewer records may be a fragment or a typo. */
const minCount = 2

/**
 * Other forms of an English word, made with -s, -ed, -ing and -er by simple rules; only those that records have, since
 * the rules alone also make forms that are no words.
 */
export function otherForms(word: string, vocabulary: Vocabulary): string[] {
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
