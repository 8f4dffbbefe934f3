import { stemmer as english } from '@orama/stemmers/english'
import { stemmer as russian } from '@orama/stemmers/russian'

/** Words whose stem Snowball confuses with that of another word. */
const exceptions = new Map(
  Object.entries({
    news: 'news',
    general: 'general',
    generally: 'general',
    generic: 'generic',
    universe: 'universe',
    university: 'university',
    organization: 'organization',
    organizations: 'organization',
    organ: 'organ',
    policy: 'policy',
    police: 'police',
    important: 'important',
    redis: 'redis',
    https: 'https',
  }),
)

/** Distinct words of a large catalog; when there are more, the memory is emptied. */
const maxKept = 100_000
const kept = new Map<string, string>()

/**
 * The common form of a word's inflections: `scraping`, `scraped` and `scrapes` have one. Latin letters are taken for
 * English, Cyrillic ones for Russian; other words are their own stem.
 *
 * @param word folded, see `fold`
 *
 * Source: Snowball's English (Porter2) and Russian algorithms, https://snowballstem.org
 */
export function stemOf(word: string): string {
  const known = kept.get(word)
  if (known !== undefined) {
    return known
  }
  const stem = computeStem(word)
  if (kept.size >= maxKept) {
    kept.clear()
  }
  kept.set(word, stem)
  return stem
}

function computeStem(word: string): string {
  const exception = exceptions.get(word)
  if (exception !== undefined || word.length < 4 || word.length > 40) {
    return exception ?? word
  }
  if (/^[a-z]+$/.test(word)) {
    return english(word)
  }
  return /^[а-я]+$/.test(word) ? russian(word) : word
}
