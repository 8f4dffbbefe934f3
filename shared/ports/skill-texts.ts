import type { Skill } from '../records/skill.js'
import type { Span } from './search-index.js'

/** A file in the folder of a skill. */
export interface SkillFile {
  /** From the folder of the skill, with `/`. */
  path: string
  /** Bytes; null: not known. */
  size: number | null
  /** `sha256:` and the digest of its bytes; null: not known. */
  digest: string | null
}

/** The files of a skill, its SKILL.md among them. */
export interface SkillFiles {
  /** In order of their paths, its SKILL.md first; of many the first `maxSkillFiles`. */
  files: SkillFile[]
  /** The number of all of them. */
  total: number
}

/** What a skill consists of, as it is kept: its SKILL.md, and a list of the files with it. */
export interface SkillContent {
  /** The skill's id. */
  id: string
  /** The `digest` of the skill: that of its SKILL.md as its owner wrote it. The content is the skill's as long as it has this one. */
  digest: string
  /** Its SKILL.md as it is to be answered, at most `maxTextBytes` as UTF-8. */
  text: string
  files: SkillFiles
}

/** A SKILL.md as it is kept. */
export interface KeptText {
  text: string
  /** `sha256:` and the digest of this text: another one than the skill's where something was removed from it. */
  digest: string
}

/** Which of many texts are read. */
interface WholeTextsQuery {
  /** No text of which the files say that it has more bytes. */
  maxBytes: number
  /** Only those of skills that have no other files, as far as is known. */
  soleOnly: boolean
}

/** One of many kept texts. */
export interface WholeText {
  /** As of `KeptText`. */
  digest: string
  /** Null: it was not read, see `WholeTextsQuery`. */
  text: string | null
  /** Whether it is the only file of its skill, as far as is known. */
  isSole: boolean
}

/**
 * The texts and files of skills, apart from their records: neither lists nor searches, exports or changes have them.
 * Equal texts are kept once. They are written with the records, see `PutOptions`; a skill that is removed or gets another
 * digest loses its content.
 *
 * Every method throws AppError `catalog_unavailable` (503) when the store does not answer.
 */
export interface SkillTexts {
  /** The text of a skill; null: none is kept. The caller knows that the skill is published, where it answers the public. */
  readText(skill: FoundById): Promise<KeptText | null>

  /** What an index searches of the texts of skills, see `searchedText`, by id; those without a text are left out. */
  readTexts(skills: FoundById[]): Promise<Map<string, string>>

  /**
   * The passages of texts that have the most of these words, by id; of at most `maxPassages` skills, and within what is
   * searched of a text. Those without any are left out.
   */
  findPassages(skills: PassageQuery[]): Promise<Map<string, Passage>>

  /** The texts of up to `maxWholeTexts` skills, as `readText`, by id; those without a text are left out. */
  readWholeTexts(skills: FoundById[], query: WholeTextsQuery): Promise<Map<string, WholeText>>

  /** The files of a skill, as `readText`; null: they are not known. */
  readFiles(skill: FoundById): Promise<SkillFiles | null>
}

/** What says which content is that of a skill. */
export type FoundById = Pick<Skill, 'id' | 'digest'>

/** A skill, and the words for its passage. */
export interface PassageQuery extends FoundById {
  /** See `stemOf`. */
  stems: string[]
}

/** A part of a text, in plain words. */
export interface Passage {
  text: string
  /** Where the words are, in order; never empty. */
  matches: Span[]
}

/** Skills whose passages are found at a time. */
export const maxPassages = 100

/** Skills of which whole texts are read at a time. */
export const maxWholeTexts = 200

/** The maximum size of a kept SKILL.md. */
export const maxTextBytes = 262_144

/** Files of a skill that are listed. */
export const maxSkillFiles = 512
