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
import { wordsIn } from './analyze.js'

/** Words of asking and of politeness, which the lists do not have. */
const asking =
  'a am able and any anyone anything best easily easy etc find get gets getting give gives giving good got have help ' +
  'helps hello hey hi into just kindly know let lets like looking make makes making me might my need needs needed ' +
  'new one ones please provide provides recommend search show shows something someone somehow thank thanks there thing ' +
  'things trying turn turning turns use used user uses using via want wants wanted way ways what which without work works working would'

/** A text in one of these scripts is in one of few languages, whose function words name nothing. */
const ownScripts = new Set([...words(russian), ...words(mandarin), ...words(japanese)])

const englishWords = new Set([...words(english), ...words([asking]), 'd', 'll', 'm', 're', 's', 't', 've'])

/** The same in other languages. */
const askingIn = {
  german: 'bitte brauche danke finde finden gibt hallo hilfe suche',
  french: 'besoin bonjour cherche faire merci peut peux plaît pouvez puis veut veux voudrais',
  spanish: 'ayuda busco favor gracias hacer hola necesito puede puedo quiero',
  portuguese: 'favor fazer obrigado olá posso preciso procuro quero',
  italian: 'aiuto cerco ciao fare favore grazie posso voglio vorrei',
}

/** Languages of the Latin script: a function word of one is a name, or another word, in another (`pod`, `die`). */
const latin = [
  [...german, askingIn.german],
  [...french, askingIn.french],
  [...spanish, askingIn.spanish],
  [...portuguese, askingIn.portuguese],
  [...italian, askingIn.italian],
  dutch,
  swedish,
  turkish,
  indonesian,
].map((list) => new Set(words(list)))

function words(list: readonly string[]): string[] {
  return list.flatMap(wordsIn)
}

/**
 * The words of a query that only connect others, or ask politely. English ones always count; those of another language
 * of the Latin script when at least two words of the query are among them, and more than are English.
 *
 * @param query its folded words
 *
 * Source: Snowball's and other projects' lists of stop words, https://www.npmjs.com/package/@orama/stopwords
 */
export function stopWordsIn(query: readonly string[]): Set<string> {
  const inList = (list: ReadonlySet<string>) => new Set(query.filter((word) => list.has(word)))
  const always = inList(englishWords)
  const foreign = latin
    .map(inList)
    .filter((found) => found.size > 1 && found.size > always.size)
    .sort((a, b) => b.size - a.size)
  return new Set([...always, ...inList(ownScripts), ...(foreign[0] ?? [])])
}
