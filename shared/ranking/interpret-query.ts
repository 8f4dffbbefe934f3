import { stopwords as dutch } from '@orama/stopwords/dutch'
import { stopwords as english } from '@orama/stopwords/english'
import { stopwords as french } from '@orama/stopwords/french'
import { stopwords as german } from '@orama/stopwords/german'
import { stopwords as indonesian } from '@orama/stopwords/indonesian'
import { stopwords as italian } from '@orama/stopwords/italian'
import { stopwords as japanese } from '@orama/stopwords/japanese'
import { stopwords as mandarin } from '@orama/stopwords/mandarin'
import { stopwords as portuguese } from '@orama/stopwords/portuguese'
import { stopwords as russian } from '@orama/stopwords/russian'
import { stopwords as spanish } from '@orama/stopwords/spanish'
import { stopwords as swedish } from '@orama/stopwords/swedish'
import { stopwords as turkish } from '@orama/stopwords/turkish'
import { splitFullName } from '../fields/web-address.js'
import { skillId } from '../records/skill.js'
import { isUnspaced, tokenize, wordsIn } from '../text/analyze.js'

/** Words of asking and of politeness, which the lists do not have. */
const asking =
  'a am able and any anyone anything best easily easy etc find get gets getting give gives giving good got have help ' +
  'helps hello hey hi into just kindly know let lets like looking make makes making me might my need needs needed ' +
  'new one ones please provide provides recommend search show shows something someone somehow thank thanks there thing ' +
  'things trying turn turning turns use used user uses using via want wants wanted way ways what which without work works working would'

/** Words of time, of number, and of what people say and feel: a task has many that say nothing of it, a short query means them. */
const circumstances =
  'night nights day days today tonight tomorrow yesterday week weeks weekend weekends month months morning mornings evening ' +
  'evenings afternoon noon hour hours minute minutes monday tuesday wednesday thursday friday saturday sunday january ' +
  'february april june july august september october november december summer autumn winter ago last next first soon early ' +
  'late lately recently currently meanwhile until already still never always often usually sometimes ever once twice again ' +
  'two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty hundred thousand dozen couple ' +
  'third half every another few several many much lot lots bit enough whole entire almost nearly exactly roughly only ' +
  'everyone everybody nobody people guy guys folks friend friends colleague colleagues coworker coworkers boss ' +
  'bosses happen happens happened happening think thinks thought say says said saying ask asks asked asking ' +
  'seem seems seemed feel feels felt look looks looked come comes came coming go goes going gone went take takes took taken ' +
  'taking bring brings brought stay stays stayed forget forgets forgot remember remembers mention mentions mentioned complain ' +
  'complains complained promise promised insist insists insisted hope hopes afraid worried tired annoyed annoying awful ugly ' +
  'nice great fine okay ok sure maybe perhaps probably actually really simply basically honestly anyway wrong bad worse worst ' +
  'good better right big huge old'

/** Words of asking in other languages. */
const askingIn = {
  german: 'bitte brauche danke finde finden gibt hallo hilfe suche',
  french: 'besoin bonjour cherche faire merci peut peux plaît pouvez puis veut veux voudrais',
  spanish: 'ayuda busco favor gracias hacer hola necesito puede puedo quiero',
  portuguese: 'favor fazer obrigado olá posso preciso procuro quero',
  italian: 'aiuto cerco ciao fare favore grazie posso voglio vorrei',
}

/** The lists of stop words, folded. */
const readStopWords = () => ({
  english: new Set([...words(english), ...words([asking]), 'd', 'll', 'm', 're', 's', 't', 've']),
  inTasks: new Set(words([circumstances])),
  /** A text in one of these scripts is in one of few languages, whose function words name nothing. */
  ownScripts: new Set([...words(russian), ...words(mandarin), ...words(japanese)]),
  /** Languages of the Latin script: a function word of one is a name, or another word, in another (`pod`, `die`). */
  latin: [
    [...german, askingIn.german],
    [...french, askingIn.french],
    [...spanish, askingIn.spanish],
    [...portuguese, askingIn.portuguese],
    [...italian, askingIn.italian],
    dutch,
    swedish,
    turkish,
    indonesian,
  ].map((list) => new Set(words(list))),
})

/** Read by the first search: a command that finds nothing needs none. */
let stopWords: ReturnType<typeof readStopWords> | null = null

function words(list: readonly string[]): string[] {
  return list.flatMap(wordsIn)
}

/**
 * The words of a query that only connect others, or ask politely. English ones always count; those of another language
 * of the Latin script when at least two words of the query are among them, and more than are English.
 *
 * @param query its folded words
 * @param isTask see `SearchText`: words of its circumstances count as well
 *
 * Source: Snowball's and other projects' lists of stop words, https://www.npmjs.com/package/@orama/stopwords
 */
export function stopWordsIn(query: readonly string[], isTask = false): Set<string> {
  stopWords ??= readStopWords()
  const inList = (list: ReadonlySet<string>) => new Set(query.filter((word) => list.has(word)))
  const always = inList(stopWords.english)
  const foreign = stopWords.latin
    .map(inList)
    .filter((found) => found.size > 1 && found.size > always.size)
    .sort((a, b) => b.size - a.size)
  const inTask = isTask ? inList(stopWords.inTasks) : []
  return new Set([...always, ...inTask, ...inList(stopWords.ownScripts), ...(foreign[0] ?? [])])
}

/** A term of a search: one word, or several consecutive ones. */
export interface SearchTerm {
  /** Folded tokens in order, at least one. */
  tokens: string[]
  /** True for a phrase in quotes: neither completed nor corrected. */
  quoted: boolean
}

/** A parsed search text. */
export interface SearchText {
  /** In the given order; at most `maxTerms`. */
  terms: SearchTerm[]
  excluded: SearchTerm[]
  /** True when the last term is a word that may be incomplete. */
  lastIsPrefix: boolean
  /** True for a long text, which describes a task: some of its words may be about something else. */
  isTask: boolean
  /** The id of the repository that the text may be, `owner/repo`; null: it is of another form. */
  repository: string | null
}

/** Terms that are read of a query, and of a task. */
export const maxTerms = 40
const maxTaskTerms = 200

/** Characters of a text above which it describes a task. */
const taskFrom = 200

// A quoted phrase, perhaps excluded, or a run of non-spaces. An unpaired quote is plain text.
const chunkPattern = /(?<![^\s])(-?)["“”„]([^"“”„]*)["“”„]|[^\s"“”„]+|["“”„]/gu

/** Whether a match of `chunkPattern` is a phrase with a `-` before it, or a word with one, after a space. */
const isExclusion = ({ 0: chunk, 1: sign, index, input }: RegExpExecArray): boolean =>
  sign === '-' || (/^-\.?[\p{L}\p{N}]/u.test(chunk) && /^\s?$/u.test(input.charAt(index - 1)))

/**
 * Parses a user's search text. The only syntax: quotes around a phrase, and a `-` before an excluded word or phrase. In a
 * task nothing is syntax.
 */
export function parseSearchText(text: string): SearchText {
  if (text.length > taskFrom) {
    return parseTask(text)
  }
  const terms: SearchTerm[] = []
  const excluded: SearchTerm[] = []
  let lastIsPrefix = false
  for (const match of text.matchAll(chunkPattern)) {
    const [chunk, , phrase] = match
    const isExcluded = isExclusion(match)
    const isPlain = phrase === undefined && !isExcluded
    const found = isPlain ? compoundOf(wordsOf(chunk), chunk) : asPhrase(phrase ?? chunk)
    ;(isExcluded ? excluded : terms).push(...found)
    if (!isExcluded && found.length > 0) {
      lastIsPrefix = isPlain
    }
  }
  const kept = terms.slice(0, maxTerms)
  return {
    terms: kept,
    excluded: excluded.slice(0, maxTerms),
    lastIsPrefix: lastIsPrefix && mayBeUnfinished(kept.at(-1)),
    isTask: false,
    repository: repositoryIn(text),
  }
}

function repositoryIn(text: string): string | null {
  const named = text.includes('/') ? splitFullName(text) : null
  return named && skillId(named.owner, named.repo, null)
}

/** The words of a text as one phrase; none where it has none. */
function asPhrase(text: string): SearchTerm[] {
  const tokens = wordsIn(text)
  return tokens.length === 0 ? [] : [{ tokens, quoted: true }]
}

/**
 * Whether a chunk of a task without spaces is an address, a path, a variable or a number: it names what the task is done to,
 * not what it is.
 */
const isNameOfThing = (chunk: string): boolean =>
  /[@=_]|:\/\/|^\W?[~.]?[\\/]/.test(chunk) || chunk.split(/[\\/]/).length > 2 || !/\p{L}/u.test(chunk)

/** Words that are joined by `-` or `.`, such as `cert-manager` and `net8.0`, in what else stands around them. */
const joinedWords = /^[^\p{L}\p{N}]*[\p{L}\p{N}]+(?:[-.][\p{L}\p{N}]+){1,2}[^\p{L}\p{N}]*$/u

/** The words of a task, each once, without code; joined ones also as one term: in a row they say more than each of them. */
function parseTask(text: string): SearchText {
  const chunks = text.replace(/`[^`]*`/g, ' ').split(/\s+/)
  const words = chunks
    .filter((chunk) => !isNameOfThing(chunk))
    .flatMap((chunk): SearchTerm[] => {
      const parts = wordsOf(chunk)
      const tokens = parts.flatMap((part) => part.tokens)
      const isJoined = parts.length > 1 && joinedWords.test(chunk) && !tokens.some(isUnspaced)
      return isJoined ? [...parts, { tokens, quoted: false }] : parts
    })
  const terms = new Map(words.map((term) => [term.tokens.join(' '), term]))
  return {
    terms: [...terms.values()].slice(0, maxTaskTerms),
    excluded: [],
    lastIsPrefix: false,
    isTask: true,
    repository: null,
  }
}

/** The text without its syntax and what it excludes: what it means. */
export const meantText = (text: string): string =>
  text.length > taskFrom
    ? text
    : [...text.matchAll(chunkPattern)].flatMap((match) => (isExclusion(match) ? [] : [match[2] ?? match[0]])).join(' ')

/** Parses a text without any syntax, whose last word may be incomplete. */
export function parsePlainText(text: string): SearchText {
  const terms = wordsOf(text).slice(0, maxTerms)
  return { terms, excluded: [], lastIsPrefix: mayBeUnfinished(terms.at(-1)), isTask: false, repository: null }
}

/** A phrase is used as it is, and a run of unspaced characters is found by any part of it anyway. */
const mayBeUnfinished = (term: SearchTerm | undefined): boolean =>
  term !== undefined && !term.quoted && term.tokens.length === 1 && !isUnspaced(term.tokens[0] ?? '')

/**
 * Words written together as one term where a part means nothing by itself: `node.js`, `a/b`, `http/3`, `x-api`.
 *
 * @param chunk the words as written, without spaces
 */
function compoundOf(words: SearchTerm[], chunk: string): SearchTerm[] {
  const tokens = words.flatMap((word) => word.tokens)
  const isCompound =
    words.length > 1 &&
    words.length < 4 &&
    tokens.length === words.length &&
    (/^.$/u.test(tokens[0] ?? '') || tokens.some((token) => /^\p{N}$/u.test(token)) || /^\w+\.\w\w$/.test(chunk)) &&
    !tokens.some(isUnspaced)
  return isCompound ? [{ tokens, quoted: false }] : words
}

/** The terms of an unquoted text: one per word, and one for a run of unspaced characters. */
function wordsOf(text: string): SearchTerm[] {
  const words: SearchTerm[] = []
  let run: { tokens: string[]; end: number } | null = null
  for (const token of tokenize(text)) {
    if (isUnspaced(token.text)) {
      if (run !== null && run.end === token.start) {
        run.tokens.push(token.text)
        run.end = token.end
        continue
      }
      run = { tokens: [token.text], end: token.end }
      words.push({ tokens: run.tokens, quoted: false })
    } else {
      run = null
      words.push({ tokens: [token.text], quoted: false })
    }
  }
  return words
}
