import type { Skill } from '../../shared/records/skill.js'
import { isUnspaced, wordsIn } from '../../shared/text/analyze.js'
import { askInTurn } from './compare-searches.js'
import { misspelled, shortened } from './queries.js'
import { median, printTable, threeDigits } from './report.js'
import type { SearchSystem } from './search-system.js'

/** A query that is meant to cost as much as possible. */
interface HostileQuery {
  kind: string
  query: string
}

const runs = 5

/** What a hostile query costs a system. */
interface HostileTimes {
  medianMs: number
  /** The first run: a system may keep the result for the others. */
  firstMs: number
  refused: number
}

/** What a hostile query costs every system, by name. */
export interface MeasuredHostile extends HostileQuery {
  systems: Record<string, HostileTimes>
}

/** Words that a search uses: the API ignores further ones. */
const usedWords = 10

/** Letters of a word in which two typos are forgiven. */
const longLetters = 9

/** Characters of a script without spaces, for records that have none. */
const otherCharacters = [...'技能文档转换搜索数据分析生成自动报告图片表格翻译代码审查测试部署监控']

/** Queries of up to 200 characters that are meant to cost as much as possible, made of the most frequent words. */
export function hostileQueries(sample: Skill[]): HostileQuery[] {
  const texts = sample.map((skill) => wordsIn(`${skill.name} ${skill.description ?? ''}`))
  const all = byFrequency(texts)
  const words = all.filter((word) => !isUnspaced(word))
  const long = words.filter((word) => word.length >= longLetters).slice(0, usedWords)
  const letters = byFrequency(words.map((word) => [word.slice(0, 1)])).filter((letter) => /[a-z]/.test(letter))
  const phrases = byFrequency(texts.map(pairsOf)).map((pair) => `"${pair}"`)
  const characters = [...new Set([...all.filter(isUnspaced), ...otherCharacters])].slice(0, 40)
  const [frequent = 'the', ...others] = words.slice(0, usedWords)
  const queries: Record<string, string> = {
    'one frequent word': frequent,
    'two frequent words': words.slice(0, 2).join(' '),
    'ten frequent words': words.slice(0, usedWords).join(' '),
    'frequent words, 200 characters': words.join(' '),
    'nine frequent words and a letter': [...words.slice(0, usedWords - 1), letters[0]].join(' '),
    'one letter': letters[0] ?? 's',
    'ten letters': letters.slice(0, usedWords).join(' '),
    'a frequent phrase': phrases[0] ?? frequent,
    'frequent phrases, 200 characters': whole(phrases),
    'a word, nine excluded': `${frequent} ${others.map((word) => `-${word}`).join(' ')}`,
    'only an excluded word': `-${long[0] ?? frequent}`,
    'one CJK character': characters[0] ?? '',
    'ten CJK words': pairsOf(characters)
      .slice(0, usedWords)
      .map((pair) => pair.replace(' ', ''))
      .join(' '),
    'a CJK run, 200 characters': characters.join('').repeat(usedWords),
    'a long word, two typos': misspelled(misspelled(long[0] ?? frequent, 0), 5),
    'ten long words, two typos each': long.map((word) => misspelled(misspelled(word, 0), 5)).join(' '),
    'ten frequent words, a typo each': words
      .filter((word) => word.length > 4)
      .slice(0, usedWords)
      .map(misspelled)
      .join(' '),
    'ten unknown words': long.map(unknown).join(' '),
    'frequent words written together': words.join(''),
    'one unknown word, 200 letters': 'q'.repeat(1_000),
  }
  return Object.entries(queries).map(([kind, query]) => ({ kind, query: shortened(query) }))
}

/** As many texts as fit into a query, none of them cut. */
const whole = (texts: string[]): string => shortened(texts.join(' ')).replace(/ "[^"]*$/, '')

const pairsOf = (words: string[]): string[] => words.slice(1).map((word, place) => `${words[place]} ${word}`)

/** The distinct words of all texts, those in the largest number of texts first. */
function byFrequency(texts: string[][]): string[] {
  const counts = new Map<string, number>()
  for (const word of texts.flatMap((text) => [...new Set(text)])) {
    counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  return [...counts].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1)).map(([word]) => word)
}

/** A word of the same length with other letters, which no record has. */
const unknown = (word: string): string =>
  word.replace(/[a-z]/g, (letter) => String.fromCharCode(97 + ((letter.charCodeAt(0) - 97 + 13) % 26)))

/** Sends each query several times to each system, one search at a time, the systems in turn, and prints the times. */
export async function measureHostile(systems: SearchSystem[], queries: HostileQuery[]): Promise<MeasuredHostile[]> {
  const measured: MeasuredHostile[] = []
  for (const hostile of queries) {
    const asked = await askInTurn(systems, Array<string>(runs).fill(hostile.query))
    const times = asked.map(({ msOfEach, refused }, place) => [
      systems[place]?.name,
      { medianMs: median(msOfEach), firstMs: msOfEach[0] ?? 0, refused },
    ])
    measured.push({ ...hostile, systems: Object.fromEntries(times) })
  }
  printHostile(measured)
  return measured
}

/** Prints what hostile queries cost, one a line, and the maximum of each system. */
function printHostile(measured: MeasuredHostile[]): void {
  const names = Object.keys(measured[0]?.systems ?? {})
  const line = (of: (name: string) => number) => names.map((name) => threeDigits(of(name)))
  const max = (measure: 'medianMs' | 'firstMs') =>
    line((name) => Math.max(...measured.map(({ systems }) => systems[name]?.[measure] ?? 0)))
  const refused = names.map((name) => measured.reduce((sum, { systems }) => sum + (systems[name]?.refused ?? 0), 0))
  printTable([
    ['hostile query, median ms', ...names],
    ...measured.map(({ kind, systems }) => [kind, ...line((name) => systems[name]?.medianMs ?? 0)]),
    ['costliest: max of medians', ...max('medianMs')],
    ['max of first runs', ...max('firstMs')],
    ['refused', ...refused.map(String)],
  ])
}
