import { hash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { Vector } from '../../../ports/embedder.js'
import { type ComparedField, comparedFields } from '../../../ports/filter-table.js'
import { type SearchDocument, type SearchedField, searchedFields } from '../../../ports/search-index.js'
import { rankOf } from '../../../records/content-hash.js'
import { repositoryId, type Skill } from '../../../records/skill.js'
import { foldLetters, isUnspaced, nameKey, stemOf, textStems, wordsIn } from '../../../text/analyze.js'
import {
  copyKey,
  embeddedHash,
  joinEntries,
  sketchOf,
  skillEntries,
  wordLines,
  wordsOfId,
  wordsOfIdEnd,
} from '../../../text/skill-words.js'
import { attributeOf, wordAttributes } from './settings.js'

/** A skill in an index: the attributes for searches, filters and orders, and the record as text. */
export interface MeiliDocument {
  /** See `comparedAttributes`. */
  [attribute: string]: unknown
  key: string
  id: string
  contentHash: string
  /** Equal for equal texts of SKILL.md files; null: there is none. */
  bodyHash: string | null
  idHash: string
  /** Of its name, of that in its repository, and of the id of that. */
  nameHashes: string[]
  /** See `completionWords`: those of name and repository, and those of the owner. */
  nameWords: string[]
  ownerWords: string[]
  /** Orders equally good matches: the smaller, the better. */
  rank: number
  /** JSON, as a string that Meilisearch neither parses nor changes. */
  skill: string
  /** See `wordLines`: for weighing. */
  lines: string
  /**
   * The words of some fields, tokenized as for both adapters, so that the tokenizer of Meilisearch changes nothing:
   * characters of scripts without spaces are single words. A list, since a phrase does not span two entries; the stems
   * of inflected words are further entries.
   */
  words_name: string[]
  words_topics: string[]
  words_text: string[]
  /**
   * Of its text, see `textStems`, each between two semicolons: Meilisearch keeps no distances across them, and one string
   * is read faster than a list.
   */
  stems: string
  /** Equal for copies of a skill; null: the skill's text is too short to compare. */
  copyKey: string | null
  /** See `sketchOf`; null: description and text are too short to compare. */
  sketch: string | null
  /** See `embeddedHash`: of the text whose vector this is. */
  textHash: string
  /** The vectors by the names of the embedders of the index. */
  _vectors: StoredVectors
}

export const primaryKey = 'key'

/**
 * The first word of every attribute, which no text contains. Meilisearch ranks texts that begin with the query above
 * equally good ones; by the published ranking they are equal, and stars decide.
 */
const firstWord = '\ue000'

/** Longer completion words are compared by their beginnings: Meilisearch accepts values of some 450 bytes. */
const maxCompletionCharacters = 50

const maxBatchDocuments = 5_000
const maxBatchBytes = 10 * 1_024 * 1_024

/** The primary key of a document: Meilisearch does not accept all characters of ids. */
export const keyOf = (id: string): string => Buffer.from(id).toString('base64url')

/** The value that exact matches are looked up by. Hexadecimal, since Meilisearch compares values ignoring case. */
export const exactHash = (key: string): string => hash('sha256', key)

/**
 * Words as values of an attribute that filters compare. A sequence of unspaced characters is contained from each of its
 * characters on, so that any part of it is a prefix of a value.
 *
 * @param entries texts as folded words
 */
const completionWords = (entries: string[][]): string[] => [
  ...new Set(entries.flatMap((tokens) => tokens.map((_, start) => completionWord(wordFrom(tokens, start))))),
]

/** The value of a word, or of a sequence of unspaced characters, for comparison with `completionWords`. */
export const completionWord = (tokens: string[]): string =>
  [...tokens.join('')].slice(0, maxCompletionCharacters).join('')

/** The word at this place, or the sequence of unspaced characters that starts there. */
function wordFrom(tokens: string[], start: number): string[] {
  const rest = tokens.slice(start, start + maxCompletionCharacters)
  const end = rest.findIndex((token) => !isUnspaced(token))
  return rest.slice(0, end === -1 ? rest.length : Math.max(end, 1))
}

function toMeiliDocument(
  { id, contentHash, skill, text, vector }: SearchDocument,
  vectors: IndexedVectors,
): MeiliDocument {
  const entries = skillEntries(skill)
  const textWords = text === null ? [] : wordsIn(text)
  const entriesOf = (fields: readonly SearchedField[]) =>
    fields.flatMap((field) => entries[searchedFields.indexOf(field)] ?? [])
  const searchable = (fields: readonly SearchedField[]) => {
    const own = entriesOf(fields)
    const written = new Set(own.flat())
    const stems = new Set([...written].map(stemOf).filter((stem) => !written.has(stem)))
    return [firstWord, ...own.map((entry) => entry.join(' ')), ...stems]
  }
  return {
    key: keyOf(id),
    id,
    contentHash,
    bodyHash: text === null ? null : hash('sha256', text).slice(0, 32),
    idHash: exactHash(nameKey(wordsOfId(skill.id))),
    nameHashes: [...[wordsIn(skill.name), wordsOfIdEnd(skill.id)].map(nameKey), repositoryId(skill.id)].map(exactHash),
    nameWords: completionWords(entriesOf(wordAttributes.words_name)),
    ownerWords: completionWords(entriesOf(['owner'])),
    rank: rankOf(skill),
    ...comparedAttributes(skill),
    skill: JSON.stringify(skill),
    lines: wordLines(joinEntries(entries)),
    words_name: searchable(wordAttributes.words_name),
    words_topics: searchable(wordAttributes.words_topics),
    words_text: searchable(wordAttributes.words_text),
    stems: joinedStems(textStems(textWords)),
    copyKey: copyKey(skill),
    sketch: sketchOf(skill, textWords),
    textHash: embeddedHash(skill, text),
    _vectors: storedVectors(vector, vectors),
  }
}

const valueAs: { [kind in ComparedField['kind']]?: (text: string) => string | number } = {
  name: (text) => text.toLowerCase(),
  text: (text) => wellFormed(text),
  // Bytes of the text, hexadecimal: Meilisearch would decompose letters of other scripts before it compares.
  folded: (text) => Buffer.from(foldLetters(text)).toString('hex'),
  time: Date.parse,
}

/** The attributes that filters and orders compare, each in place of a field. */
const comparedPlaces = comparedFields().map((row) => ({
  attribute: attributeOf(row),
  field: row.field,
  asCompared: (value: string | number | boolean) => (typeof value === 'string' ? valueAs[row.kind]?.(value) : value),
}))

function comparedAttributes(skill: Skill): Record<string, unknown> {
  const attributes: Record<string, unknown> = {}
  for (const { attribute, field, asCompared } of comparedPlaces) {
    const value = skill[field]
    attributes[attribute] = Array.isArray(value) ? value.map(asCompared) : value && asCompared(value)
  }
  return attributes
}

/** Stems as the attribute has them, see `MeiliDocument`. */
export const joinedStems = (stems: readonly string[]): string => (stems.length === 0 ? '' : `;${stems.join(';')};`)

/** The query for a stem in fields and texts, neither completed nor corrected. The empty one: for all skills. */
export const stemQuery = (stem: string): { q: string; attributesToSearchOn: string[] } => ({
  q: stem === '' ? '' : `"${stem}"`,
  attributesToSearchOn: ['*'],
})

/** A text without lone surrogates: Meilisearch would refuse the whole batch. */
export const wellFormed = (text: string): string => Buffer.from(text).toString()

/** A document serialized for a request. */
interface PostedDocument extends Pick<MeiliDocument, 'id' | 'contentHash' | 'bodyHash'> {
  json: string
}

/** The documents of one request. */
export type Batch = PostedDocument[]

/** The body of the request that posts a batch. */
export const bodyOf = (batch: Batch): string => `[${batch.map(({ json }) => json).join(',')}]`

/** Documents that are made without a pause: with long texts they take some 50 ms of processor time. */
const madeAtOnce = 20

/**
 * Documents in batches, serialized on demand; of documents with equal ids the last one is taken. The process does other
 * things in between: on a busy machine a lock could otherwise not be renewed in time.
 *
 * @param vectors of the index that the documents are for
 */
export async function* batchesOf(documents: SearchDocument[], vectors: IndexedVectors): AsyncGenerator<Batch> {
  const distinct = new Map(documents.map((document) => [document.id, document]))
  let batch: Batch = []
  let bytes = 0
  for (const document of distinct.values()) {
    const made = toMeiliDocument(document, vectors)
    const json = JSON.stringify(made)
    const size = Buffer.byteLength(json) + 1
    if (batch.length === maxBatchDocuments || bytes + size > maxBatchBytes) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push({ id: made.id, contentHash: made.contentHash, bodyHash: made.bodyHash, json })
    bytes += size
    if (batch.length % madeAtOnce === 0) {
      await setImmediate()
    }
  }
  if (batch.length > 0) {
    yield batch
  }
}

/** The vectors of a document by embedder; null: none of this embedder. */
type StoredVectors = Record<string, { embeddings: number[][]; regenerate: false } | null>

interface IndexedVectors {
  embedders: string[]
  /** The embedder of the vectors that are written; null: none are. */
  own: string | null
}

/** Decimals of a stored number: with more, requests are larger and no neighbour changes. */
const scale = 10_000

/** A vector as requests have it. */
export const roundedVector = (vector: Vector): number[] =>
  Array.from(vector, (each) => Math.round(each * scale) / scale)

/**
 * A vector as a document stores it. Meilisearch refuses documents that do not mention each embedder of their index, also
 * those of a model that was used before.
 */
const storedVectors = (vector: Vector | null, { embedders, own }: IndexedVectors): StoredVectors =>
  Object.fromEntries(
    embedders.map((name) => [
      name,
      name !== own || vector === null || isZero(vector)
        ? null
        : { embeddings: [roundedVector(vector)], regenerate: false },
    ]),
  )

/** Whether a vector has no direction: Meilisearch considers it equal to every other one. */
export const isZero = (vector: Vector): boolean => vector.every((each) => each === 0)

/** The vector of a document; null: it has none of this embedder. */
export function readVector(vectors: StoredVectors | undefined, embedder: string): Vector | null {
  const stored = vectors?.[embedder]?.embeddings[0]
  return stored === undefined ? null : new Float32Array(stored)
}
