import type { StoredSkill } from '../../../shared/records/skill.js'
import { IdSet } from './id-set.js'

/** The file of a skill of a repository, and its folder there. */
interface SkillFile {
  label: string
  path: string
}

/**
 * The skills of one import that have the same id. Of files with one name in a repository, such as copies for several
 * programs, the one with the shortest path counts, then the first by its path: decided by the files alone, in any order.
 */
export class RepeatedSkills {
  readonly #files = new Map<string, SkillFile>()
  readonly #ids = new IdSet()
  readonly #contents = new IdSet()
  readonly #repeated = new IdSet()
  /** Records that took the place of another one with another name or description. */
  replaced = 0

  /** Whether each id with such records has the name of a skill. */
  areNamed = true

  /** The number of ids with such records. */
  get ids(): number {
    return this.#repeated.size
  }

  /**
   * Notes a SKILL.md.
   *
   * @returns which of two files with this id does not count; null: it is the only one
   */
  leftOut({ id, path }: StoredSkill, label: string): { left: SkillFile; kept: SkillFile } | null {
    const file = { label, path: path ?? '' }
    const before = this.#files.get(id)
    if (before === undefined || before.label === label) {
      this.#files.set(id, file)
      return null
    }
    const isFirst = file.path.length - before.path.length || (file.path < before.path ? -1 : 1)
    this.#files.set(id, isFirst < 0 ? file : before)
    return isFirst < 0 ? { left: before, kept: file } : { left: file, kept: before }
  }

  /** Notes a record of another source. */
  add({ id, name, description }: StoredSkill): void {
    const content = JSON.stringify([id, name, description])
    if (this.#contents.has(content)) {
      return
    }
    this.#contents.add(content)
    if (this.#ids.has(id)) {
      this.#repeated.add(id)
      this.areNamed &&= id.includes('@')
      this.replaced += 1
    }
    this.#ids.add(id)
  }
}
