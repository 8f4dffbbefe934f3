// Reads the texts that a table is trained on.
import { readFileSync } from 'node:fs'

/** A line of a file: a record with its text in English, or English with its translation into another language. */
interface Entry {
  name?: string | null
  description?: string | null
  text?: string | null
  english?: string
  language?: string
  translation?: string
  /** As SPDX has it, or as authors write it. */
  license?: string | null
  owner?: string
  repo?: string
  /** Where it is from, in place of `owner` and `repo`. */
  source?: string
}

interface Translation {
  language: string
  text: string
  english: string
}

export interface TrainingTexts {
  /** Names with descriptions, and sentences. */
  records: string[]
  /** English of other files, with and without translations. */
  english: string[]
  translations: Translation[]
  /** Number of texts for each source with its licence. */
  sources: Map<string, number>
}

/** Licences that allow what is made from a text to be passed on under another one. */
const permissive =
  'apache-2.0 bsd-2-clause bsd-3-clause cc-by-2.0 cc-by-4.0 cc0-1.0 isc mit odc-by-1.0 unicode-3.0 unlicense wordnet zlib'
const permissiveNames = permissive.split(' ')

const sentencesPerText = 3
const sentenceCharacters = { min: 30, max: 300 }
const nameCharacters = { min: 12, max: 400 }

/**
 * The texts of lines whose licence is permissive, each once.
 *
 * @param files with a JSON object in each line
 * @param shuffle chooses the sentences
 */
export function readTrainingTexts(files: string[], shuffle: (sentences: string[]) => void): TrainingTexts {
  const records = new Set<string>()
  const english = new Set<string>()
  const translations = new Map<string, Translation>()
  const sources = new Map<string, number>()
  for (const line of files.flatMap((file) => readFileSync(file, 'utf8').split('\n')).filter(Boolean)) {
    const entry = JSON.parse(line) as Entry
    if (isPermissive(entry.license ?? '')) {
      const before = records.size + english.size + translations.size
      for (const text of textsOf(entry, shuffle)) {
        records.add(text)
      }
      if (entry.english !== undefined) {
        english.add(entry.english)
        if (entry.translation !== undefined && entry.language !== undefined) {
          const translation = { language: entry.language, text: entry.translation, english: entry.english }
          translations.set(Object.values(translation).join('\t'), translation)
        }
      }
      const source = `${entry.source ?? `${entry.owner}/${entry.repo}`}\t${entry.license}`
      const added = records.size + english.size + translations.size - before
      sources.set(source, (sources.get(source) ?? 0) + added)
    }
  }
  return { records: [...records], english: [...english], translations: [...translations.values()], sources }
}

/** `MIT License` as well, and several of them. */
function isPermissive(license: string): boolean {
  const names = license.toLowerCase().split(/ and | or /)
  return names.every((name) => permissiveNames.includes(name.replace(/ licen[cs]e$/, '').trim()))
}

/** The name with the description, and some sentences of the text. */
function textsOf({ name, description, text }: Entry, shuffle: (sentences: string[]) => void): string[] {
  const sentences = sentencesOf(text ?? '')
  shuffle(sentences)
  const title = [name, description].filter(Boolean).join('. ').slice(0, nameCharacters.max).trim()
  return [title, ...sentences.slice(0, sentencesPerText)].filter(({ length }) => length >= nameCharacters.min)
}

/** The sentences and lines of a Markdown text that are prose. */
function sentencesOf(markdown: string): string[] {
  return markdown
    .replace(/```.*?```/gs, ' ')
    .split(/(?<=[.!?])\s+|\n+/)
    .map((sentence) => sentence.replace(/^[\s#*>|-]+|[\s#*>|-]+$/g, ''))
    .filter(({ length }) => length >= sentenceCharacters.min && length <= sentenceCharacters.max)
    .filter((sentence) => sentence.split(/\s+/).length >= 5)
}
