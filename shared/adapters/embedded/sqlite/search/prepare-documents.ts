import type { Vector } from '../../../../ports/embedder.js'
import type { SearchDocument } from '../../../../ports/search-index.js'
import type { RankedSkill } from '../../../../records/popularity-rank.js'
import type { Skill } from '../../../../records/skill.js'
import { wordsIn } from '../../../../text/analyze.js'
import { sketchOf, sketchText } from '../../../../text/near-copies.js'
import { wordLines } from '../../../../text/skill-words.js'
import { textStems } from '../../../../text/text-stems.js'
import { copyNumber, keyHash, keysOf, textColumns, textHash, wordsOf } from './index-tables.js'
import { toBytes, wordsPerCode, writeCode } from './vector-tables.js'

/** What the tables of an index take of a document; no file is read to make it. */
export interface PreparedDocument {
  id: string
  contentHash: string
  ranked: RankedSkill
  keys: ReturnType<typeof keysOf>
  /** See `copyNumber`. */
  copy: number | null
  /** Equal for equal texts of SKILL.md files; null: there is none. */
  bodyHash: number | null
  /** The row of the full-text table. */
  words: string[]
  /** See `wordLines`. */
  lines: string
  /** Of its text, see `textStems`. */
  stems: string[]
  /** See `sketchText`; null: there is none. */
  sketch: string | null
  vector: PreparedVector | null
}

export interface PreparedVector {
  textHash: number
  bytes: Int8Array
  /** See `writeCode`. */
  code: Int32Array
}

export const prepareDocument = ({ id, contentHash, skill, vector, text }: SearchDocument): PreparedDocument => {
  const words = wordsOf(skill)
  const textWords = text === null ? [] : wordsIn(text)
  const sketch = sketchOf(skill, textWords)
  return {
    id,
    contentHash,
    ranked: { id, stars: skill.stars, updatedAt: skill.updatedAt },
    keys: keysOf(skill),
    copy: copyNumber(skill),
    bodyHash: text === null ? null : keyHash(text),
    words,
    lines: wordLines(words.slice(0, textColumns.length)),
    stems: textStems(textWords),
    sketch: sketch === null ? null : sketchText(sketch),
    vector: vector === null ? null : prepareVector(skill, vector),
  }
}

function prepareVector(skill: Skill, vector: Vector): PreparedVector {
  const code = new Int32Array(wordsPerCode(vector.length))
  writeCode(vector, code)
  return { textHash: textHash(skill), bytes: toBytes(vector), code }
}
