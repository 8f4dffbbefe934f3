import type { Passage, PassageQuery } from '../ports/skill-texts.js'
import { foldLetters, isUnspaced, stemOf, symbolNames, wordsIn } from '../text/analyze.js'
import { cleanText } from '../text/clean-text.js'
import { searchedPart, textAsKept } from '../text/skill-text.js'

/** Words of a text that were looked for, in UTF-16 code units. */
interface FoundStem {
  start: number
  end: number
  /** Its place among the stems. */
  stem: number
}

/** Characters of a passage, about; a sentence that ends before is not cut. */
const maxCharacters = 200

/** A passage that ends with a sentence has at least this share of them. */
const leastShare = 0.5

/** Characters of Markdown on each side of the words from which a passage is cut: marks and addresses of links go. */
const margin = 300

/**
 * The part of a text in Markdown that has the most of these words, the rarer in the text the better, cut at the ends of
 * sentences, lines or words, without the marks of Markdown. Null: the text has none of them.
 *
 * @param stems see `stemOf`; of scripts without spaces, the characters
 */
export function findPassage(markdown: string, stems: readonly string[]): Passage | null {
  const stemmed = new StemFinder(stems)
  const window = bestWindow(stemmed.find(markdown))
  if (window === null) {
    return null
  }
  const from = borderBefore(markdown, window.start - margin)
  const to = borderAfter(markdown, window.end + margin)
  const region = textAsKept('cleaned', withoutHalfLinks(markdown.slice(from, to)))
  const isInCode = (markdown.slice(0, from).match(/^[ \t]*(?:```|~~~)/gm)?.length ?? 0) % 2 === 1
  const plain = cleanText(plainText(region, isInCode)) ?? ''
  const found = stemmed.find(plain)
  const best = bestWindow(found)
  return best === null ? null : cutAround(plain, best, found)
}

/**
 * The passages of texts, by id.
 *
 * @param texts whole SKILL.md files with the ids of their skills
 */
export function passagesOf(skills: readonly PassageQuery[], texts: [id: string, text: string][]): Map<string, Passage> {
  const stems = new Map(skills.map((skill) => [skill.id, skill.stems]))
  return new Map(
    texts.flatMap(([id, text]) => {
      const passage = findPassage(searchedPart(text), stems.get(id) ?? [])
      return passage === null ? [] : [[id, passage]]
    }),
  )
}

/** Letters of words that are searched in Latin letters, with those that fold to them. */
const variants: Record<string, string> = {
  ...{ a: 'aàáâãäåāăą', c: 'cçćč', d: 'dďđ', e: 'eèéêëēėęě', g: 'gğ', i: 'iìíîïīįı', l: 'lľł', n: 'nñńň' },
  ...{ o: 'oòóôõöøōő', r: 'rř', s: 'sśšş', t: 'tťţ', u: 'uùúûüūůűų', y: 'yýÿ', z: 'zźżž' },
}

const surfaces = new Map([...symbolNames].map(([written, word]) => [word, written.replace(/[.+]/g, '\\$&')]))

/** Letters of words in Latin scripts. */
const latinLetters = String.raw`a-z0-9\u00c0-\u024f\u0300-\u036f`
const accents = /[\u00c0-\u024f]|[\u0300-\u036f]/

/** Finds words with some stems in texts: only words that begin like one are stemmed, far fewer than all. */
class StemFinder {
  readonly #stems: Map<string, number>
  /** For texts without accents; the other pattern takes longer. */
  readonly #plain: WordPattern
  readonly #other: WordPattern

  constructor(stems: readonly string[]) {
    const words = stems.flatMap((stem, place) => {
      const parts = wordsIn(stem)
      return (parts.every(isUnspaced) ? [parts.join('')] : parts).map((word) => [word, place] as const)
    })
    this.#stems = new Map(words.filter(([word]) => word !== ''))
    const found = [...this.#stems.keys()]
    const areLatin = found.every((word) => /^[a-z0-9]+$/.test(word))
    this.#other = patternOf(found, areLatin ? latinLetters : letters, true)
    this.#plain = areLatin ? patternOf(found, 'a-z0-9', false) : this.#other
  }

  find(text: string): FoundStem[] {
    if (this.#stems.size === 0) {
      return []
    }
    const pattern = accents.test(text) ? this.#other : this.#plain
    return [...text.matchAll(pattern.words)].flatMap(({ 0: written, 1: spaced, index }) => {
      if (spaced !== undefined && pattern.endsInWord.test(text.slice(Math.max(0, index - 2), index))) {
        return []
      }
      const lower = written.toLowerCase()
      const word = symbolNames.get(lower) ?? (/^[a-z0-9]+$/.test(lower) ? lower : foldLetters(written))
      const stem = this.#stems.get(word) ?? this.#stems.get(stemOf(word))
      return stem === undefined ? [] : [{ start: index, end: index + written.length, stem }]
    })
  }
}

const letters = String.raw`\p{L}\p{N}\p{M}`

interface WordPattern {
  /** The first group is a word between spaces. */
  words: RegExp
  /** Whether a word goes on after this text: what is found there begins within it. */
  endsInWord: RegExp
}

/** What finds the words that begin like one of these, and all of those that are no words of letters between spaces. */
function patternOf(words: string[], letter: string, withAccents: boolean): WordPattern {
  const spaced = words.filter((word) => /^[\p{L}\p{N}]/u.test(word) && !isUnspaced(word))
  const beginnings = spaced.map((word) => {
    const beginning = word.slice(0, Math.max(word.length - 2, 3))
    return withAccents ? beginning.replace(/[a-z]/g, (each) => `[${variants[each] ?? each}]`) : beginning
  })
  const alternatives = [
    ...words.flatMap((word) => surfaces.get(word) ?? []),
    ...words.filter((word) => !spaced.includes(word)),
    // Whether a word begins there is checked afterwards: a pattern that begins with that takes twice as long.
    ...(spaced.length === 0 ? [] : [`((?:${[...new Set(beginnings)].join('|')})[${letter}]*)`]),
  ]
  const flags = letter === letters ? 'iu' : 'i'
  return { words: new RegExp(alternatives.join('|'), `g${flags}`), endsInWord: new RegExp(`[${letter}]$`, flags) }
}

/** The range, no longer than a passage, with the most stems, the rarer the better; null: there is none. */
function bestWindow(found: FoundStem[]): { start: number; end: number } | null {
  const occurrences = new Map<number, number>()
  for (const { stem } of found) {
    occurrences.set(stem, (occurrences.get(stem) ?? 0) + 1)
  }
  let best: { start: number; end: number; score: number } | null = null
  for (const [place, { start }] of found.entries()) {
    const seen = new Set<number>()
    let score = 0
    for (let at = place; at < found.length; at += 1) {
      const { end, stem } = found[at] ?? { end: 0, stem: 0 }
      if (end - start > maxCharacters && at > place) {
        break
      }
      if (!seen.has(stem)) {
        seen.add(stem)
        // Each counts, so that two words are better than one that is rarer.
        score += 1 + 1 / (occurrences.get(stem) ?? 1)
        if (best === null || score > best.score) {
          best = { start, end, score }
        }
      }
    }
  }
  return best
}

/** The beginning of a line shortly before a place, or of a word. */
function borderBefore(text: string, place: number): number {
  const from = Math.max(0, place)
  const line = text.lastIndexOf('\n', from) + 1
  const start = from - line <= margin ? line : text.slice(from).search(/\s/) + from + 1
  return isWithinPair(text, start) ? start - 1 : start
}

/** The end of a line shortly after a place, or that place. */
function borderAfter(text: string, place: number): number {
  const to = Math.min(text.length, place)
  const line = text.indexOf('\n', to)
  const end = line !== -1 && line - to <= margin ? line : to
  return isWithinPair(text, end) ? end + 1 : end
}

/** Without what is left at the ends of links that were cut in two. */
const withoutHalfLinks = (text: string): string =>
  text.replace(/^[^[\]\n]*\](?:\([^()\s]*\))?/, '').replace(/!?\[[^[\]\n]*(?:\]\([^()\n]*)?$/, '')

const isWithinPair = (text: string, place: number): boolean =>
  /^[\ud800-\udbff][\udc00-\udfff]/.test(text.slice(Math.max(place - 1, 0), place + 1)) && place > 0

/** Lines without words: rules, underlines, and what divides the head of a table from its rows. */
const wordless = /^\s*(?:[-*_=\s]+|\|?[\s|:-]*-[\s|:-]*)$/

const htmlTag =
  /<!--[\s\S]*?(?:-->|$)|<\/?(?:a|b|br|center|code|details|div|em|h[1-6]|hr|i|img|kbd|li|ol|p|pre|span|strong|sub|summary|sup|table|tbody|td|th|thead|tr|ul)(?:\s[^<>]*)?\/?>/gi

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: ' ', '#39': "'" }

/** Text in Markdown as plain text: its blocks, and its lines of code, are lines. */
function plainText(markdown: string, beginsInCode: boolean): string {
  let text = ''
  let isCode = beginsInCode
  /** Whether the next line may continue the last one. */
  let isOpen = false
  for (const line of markdown.split(/\r?\n/)) {
    const isFence = /^\s*(?:```|~~~)/.test(line)
    isCode = isFence !== isCode
    const isPlain = isCode && !/^\s*(?:\||#{2,6}\s)|\*\*\S/.test(line)
    const content = isFence || (!isPlain && wordless.test(line)) ? '' : isPlain ? oneSpaced(line) : plainLine(line)
    const isBlock = isCode || /^\s*(?:#{1,6}\s|>|[-*+]\s|\d{1,3}[.)]\s|\|)/.test(line)
    text += content === '' ? '' : `${text === '' ? '' : isOpen && !isBlock ? ' ' : '\n'}${content}`
    isOpen = content !== '' && !isCode && !/^\s*(?:#{1,6}\s|\|)/.test(line)
  }
  return text
}

const oneSpaced = (line: string): string => line.replace(/\s+/g, ' ').trim()

/** A line without the marks of its block and of its links, and, but in code, those of emphasis and HTML. */
const plainLine = (line: string): string =>
  oneSpaced(
    line
      .replace(/^\s*(?:(?:#{1,6}|>|[-*+]|\d{1,3}[.)])\s+)*(?:\[[ xX]\]\s+)?/, '')
      .replace(/\s#+\s*$/, '')
      .replace(/^\s*\||\|\s*$/g, '')
      .replace(/(?<!\\)\|/g, ' · ')
      .replace(/!?\[([^[\]]*)\](?:\([^()\s]*(?:\([^()]*\)[^()\s]*)?(?:\s+["'][^"']*["'])?\)|\[[^[\]]*\])/g, '$1')
      .split(/`+([^`]*)`+/)
      .map((part, place) => (place % 2 === 1 ? part : withoutMarks(part)))
      .join(''),
  )

const withoutMarks = (text: string): string =>
  text
    .replace(/<(https?:[^<>\s]+)>/g, '$1')
    .replace(htmlTag, ' ')
    .replace(/`+|\*\*+|~~/g, '')
    .replace(/(?<![\p{L}\p{N}*_])([*_]{1,3})(?=\S)([^*_]*\S)\1(?![\p{L}\p{N}*_])/gu, '$2')
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    .replace(/&(amp|lt|gt|quot|nbsp|#39);/g, (entity, name) => entities[name] ?? entity)

/** A passage of a plain text around a range. */
function cutAround(text: string, window: { start: number; end: number }, found: FoundStem[]): Passage {
  const least = Math.max(0, window.end - maxCharacters)
  const sentences = [
    0,
    ...[...text.matchAll(/(?:[.!?]["')\]]?\s|[。！？]|\n)\s*/g)].map(({ 0: end, index }) => index + end.length),
  ]
  const before = sentences.filter((start) => start >= least && start <= window.start)
  // Near the end of the text, with what is said before.
  const sentence = before.find((start) => start >= text.length - maxCharacters) ?? before.at(-1)
  const middle = window.start - Math.floor((maxCharacters - (window.end - window.start)) / 2)
  const start = sentence ?? wordBorder(text, Math.max(least, middle), window.start)
  const reach = Math.min(text.length, Math.max(start + maxCharacters, window.end))
  const ends = sentences.filter(
    (next) => next >= window.end && next <= reach + 1 && next - start >= maxCharacters * leastShare,
  )
  // Rather than with a heading.
  const ended = ends.filter((next) => /[.!?。！？]\S?\s*$/.test(text.slice(next - 4, next))).at(-1) ?? ends.at(-1)
  const isWhole = reach === text.length || ended !== undefined
  const end = reach === text.length ? reach : isWhole ? Number(ended) : lastBorder(text, window.end, reach)
  const cut = sentence === undefined ? '…' : ''
  const kept = text.slice(start, end).trimEnd()
  const line = `${cut}${kept.replaceAll('\n', ' ')}${isWhole ? '' : '…'}`
  const matches = found
    .filter((each) => each.start >= start && each.end <= start + kept.length)
    .map((each) => ({ start: each.start - start + cut.length, length: each.end - each.start }))
  return { text: line, matches }
}

/** The first beginning of a word from a place on, or that place. */
function wordBorder(text: string, place: number, last: number): number {
  const space = text.slice(place, last).search(/\s\S/)
  const start = space === -1 ? place : place + space + 1
  return isWithinPair(text, start) ? start - 1 : start
}

/** The last end of a word before a place, or that place. */
function lastBorder(text: string, first: number, place: number): number {
  const space = /\s\S*$/.exec(text.slice(first, place))
  const end = space === null ? place : first + space.index
  return isWithinPair(text, end) ? end - 1 : end
}
