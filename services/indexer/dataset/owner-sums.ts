import { topTopicsPerOrganization } from '../../../shared/ports/dataset-reader.js'
import type { Organization } from '../../../shared/records/organization.js'
import { organizationOf, type Skill } from '../../../shared/records/skill.js'

/** The fields of an organization that are computed from its skills. */
export type OwnerSum = Pick<Organization, 'login' | 'skills' | 'stars' | 'topTopics'>

interface OpenSum {
  login: string
  skills: number
  /** Null: of none of them it is known. */
  stars: number | null
  topics: Map<string, number>
}

/** Sums over the skills of each owner, from skills in the order of their ids: those of one owner follow each other. */
export class OwnerSums {
  #open: OpenSum | null = null

  /** @returns the sums of the owners whose skills are complete */
  add(skills: Skill[]): OwnerSum[] {
    const complete: OwnerSum[] = []
    for (const { owner, stars, topics } of skills) {
      const login = organizationOf(owner)
      if (this.#open?.login !== login) {
        complete.push(...this.finish())
        this.#open = { login, skills: 0, stars: null, topics: new Map() }
      }
      this.#open.skills += 1
      this.#open.stars = stars === null ? this.#open.stars : (this.#open.stars ?? 0) + stars
      for (const topic of topics) {
        this.#open.topics.set(topic, (this.#open.topics.get(topic) ?? 0) + 1)
      }
    }
    return complete
  }

  /** @returns the sums of the last owner; none without skills */
  finish(): OwnerSum[] {
    const open = this.#open
    this.#open = null
    return open === null
      ? []
      : [{ login: open.login, skills: open.skills, stars: open.stars, topTopics: topOf(open.topics) }]
  }
}

/** The most frequent topics, ties by name. */
const topOf = (topics: Map<string, number>): string[] =>
  [...topics]
    .sort(([a, m], [b, n]) => n - m || Buffer.compare(Buffer.from(a), Buffer.from(b)))
    .slice(0, topTopicsPerOrganization)
    .map(([topic]) => topic)
