import { isUnspaced } from '../../shared/text/analyze.js'

/** A record as far as queries are made from it. */
export interface RelevanceSkill {
  id: string
  owner: string
  repo: string
  /** null: the repository is the skill. */
  skill: string | null
  name: string
  description: string | null
  topics: string[]
}

/** Words that a description has for grammar, or that any description may have. */
const functionWords = new Set(
  `about above across after again against all also although always among and another any anyone anything are around
  available back based because been before being below best better between both but can cannot could did does doing don
  done down during each easy either else even every everything few first for from further get gets getting give given
  gives good got had has have having help helps her here him his how however instead into isn its itself just keep last
  least less let lets like made make makes making many may might more most much must need needed needs never new next
  non not nothing now off often one only onto other our out over own per please provide provided provides providing
  quite rather same see several she should simple simply since small some something still such support supported
  supporting supports than that the their them then there these they this those three through thus too toward towards
  two under until upon use used useful user users uses using various very via want wants was way ways well were what
  when where whether which while who whose why will with within without would written yet you your yours`.split(/\s+/),
)

/** The words of a text as they are typed: letters and digits of any script. */
export const wordsOf = (text: string): string[] => text.match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu) ?? []

/** The words of a name; empty where it has a script without spaces, whose words cannot be cut simply. */
export function nameWords(name: string): string[] {
  const words = wordsOf(name)
  return words.some(isUnspaced) ? [] : words
}

/** Knows in how many records each word occurs. */
export class Vocabulary {
  readonly #counts = new Map<string, number>()
  /** A word of more records than this does not say which one is meant. */
  readonly #maxCount: number

  constructor(skills: RelevanceSkill[]) {
    this.#maxCount = Math.max(5, skills.length * 0.05)
    for (const { name, description } of skills) {
      for (const word of new Set(wordsOf(`${name} ${description ?? ''}`.toLowerCase()))) {
        this.#counts.set(word, this.count(word) + 1)
      }
    }
  }

  /** The number of records with this word, given in lower case, in name or description. */
  count(word: string): number {
    return this.#counts.get(word) ?? 0
  }

  /**
   * The words of a record's description that say what it is about, each once, in their order. The words of its name and
   * repository are left out: these queries are of people who do not know the name.
   */
  informativeWords({ name, repo, description }: RelevanceSkill): string[] {
    const known = new Set(wordsOf(`${name} ${repo}`.toLowerCase()))
    const text = (description ?? '').replace(/https?:\/\/\S+/g, ' ').toLowerCase()
    return [...new Set(wordsOf(text))].filter(
      (word) =>
        /^\p{L}[\p{L}\p{M}]{2,}$/u.test(word) &&
        !isUnspaced(word) &&
        !functionWords.has(word) &&
        !known.has(word) &&
        this.count(word) <= this.#maxCount,
    )
  }
}
