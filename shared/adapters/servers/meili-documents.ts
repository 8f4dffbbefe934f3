import { hash } from 'node:crypto'
import type { SearchDocument } from '../../ports/search-index.js'
import { rankOf } from '../../records/popularity-rank.js'
import { searchSettings } from '../../search-settings.js'
import { fold, textKey } from '../../text/analyze.js'
import { skillWords } from '../../text/skill-words.js'
import { wordsAttribute } from './meili-settings.js'
import { typedWords } from './meili-typed-words.js'

/** A skill as an index holds it: what is searched, filtered and sorted by, and the record itself as text. */
export interface MeiliDocument {
  key: string
  id: string
  contentHash: string
  idHash: string
  nameHashes: string[]
  /** The words of name and repository, and of the owner, as search boxes complete them. */
  nameWords: string[]
  ownerWords: string[]
  owner: string
  topics: string[]
  license: string | null
  language: string | null
  archived: boolean
  stars: number | null
  /** Decides among equally good fits: the smaller, the better. */
  rank: number
  /** The folded name's bytes, hexadecimal: the engine would take letters of other scripts apart before it compares. */
  nameKey: string
  createdAtMs: number | null
  updatedAtMs: number | null
  /** JSON: the engine need neither take it apart nor may it change it. */
  skill: string
  /**
   * The words of each group of fields as both adapters understand them, so that the engine's own analysis finds nothing
   * left to decide: characters of scripts without spaces are words of their own, and runs of them are asked for as
   * phrases. A list, for words of two entries never stand together.
   */
  [words: `words_${string}`]: string[]
}

export const primaryKey = 'key'

/**
 * Begins every attribute, and is nobody's word. The engine prefers texts that begin with what was asked for to equally
 * good ones; by the published ranking those are equal, and stars decide.
 */
const firstWord = '\ue000'

/** A batch that is posted is no larger than either. */
const maxBatchDocuments = 5_000
const maxBatchBytes = 10 * 1_024 * 1_024

/** The engine's identity of a document: it takes fewer characters than ids have. */
export const keyOf = (id: string): string => Buffer.from(id).toString('base64url')

/** What exact matches are looked up by. Hexadecimal, since the engine compares values without regard to case. */
export const exactHash = (key: string): string => hash('sha256', key)

function toMeiliDocument({ id, contentHash, skill }: SearchDocument): MeiliDocument {
  const words = skillWords(skill)
  return {
    key: keyOf(id),
    id,
    contentHash,
    idHash: exactHash(textKey(`${skill.owner} ${skill.repo}`)),
    nameHashes: [exactHash(textKey(skill.name)), exactHash(textKey(skill.repo))],
    nameWords: typedWords([...words.name, ...words.repo]),
    ownerWords: typedWords(words.owner),
    owner: skill.owner.toLowerCase(),
    topics: skill.topics.map(wellFormed),
    license: skill.license === null ? null : wellFormed(skill.license),
    language: skill.language === null ? null : wellFormed(skill.language),
    archived: skill.archived,
    stars: skill.stars,
    rank: rankOf(skill),
    nameKey: Buffer.from(fold(skill.name)).toString('hex'),
    createdAtMs: skill.createdAt === null ? null : Date.parse(skill.createdAt),
    updatedAtMs: skill.updatedAt === null ? null : Date.parse(skill.updatedAt),
    skill: JSON.stringify(skill),
    ...Object.fromEntries(
      searchSettings.fieldGroups.map((group) => [
        wordsAttribute(group),
        [firstWord, ...group.flatMap((field) => words[field].map((entry) => entry.join(' ')))],
      ]),
    ),
  }
}

/** A text without halves of surrogate pairs, of which one would make a whole batch unreadable to the engine. */
export const wellFormed = (text: string): string => Buffer.from(text).toString()

/** A document as it is posted. */
interface PostedDocument {
  id: string
  contentHash: string
  json: string
}

/** Documents that are posted together. */
export type Batch = PostedDocument[]

/** The body of the request that posts a batch. */
export const bodyOf = (batch: Batch): string => `[${batch.map(({ json }) => json).join(',')}]`

/** Documents in batches to post, made as they are asked for; of equal ids the last counts. */
export function* batchesOf(documents: SearchDocument[]): Generator<Batch> {
  const distinct = new Map(documents.map((document) => [document.id, document]))
  let batch: Batch = []
  let bytes = 0
  for (const document of distinct.values()) {
    const json = JSON.stringify(toMeiliDocument(document))
    const size = Buffer.byteLength(json) + 1
    if (batch.length === maxBatchDocuments || bytes + size > maxBatchBytes) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push({ id: document.id, contentHash: document.contentHash, json })
    bytes += size
  }
  if (batch.length > 0) {
    yield batch
  }
}
