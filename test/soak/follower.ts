import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Skill } from '../../shared/records/skill.js'
import type { ReaderDeps } from './readers.js'

interface ChangesAnswer {
  data: { sequence: number; id: string; change: 'published' | 'removed'; skill: Skill | null }[]
  pagination: { nextSince: number; more: boolean }
}

const pauseMs = 300

/** Keeps a copy by what the changes tell, and nothing else. */
export class Follower {
  readonly #deps: ReaderDeps
  readonly #copy = new Map<string, Skill>()
  #since = 0
  told = 0

  constructor(deps: ReaderDeps) {
    this.#deps = deps
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (!(await this.#read())) {
        await sleep(pauseMs)
      }
    }
  }

  /** How the copy differs from what is published; null: not at all. */
  difference(): string | null {
    const published = this.#deps.history.published()
    for (const id of new Set([...published.keys(), ...this.#copy.keys()])) {
      const [there, here] = [published.get(id), this.#copy.get(id)]
      if (!isDeepStrictEqual(there, here === undefined ? undefined : { ...here, indexedAt: null })) {
        return `${id} is version ${there?.stars ?? 'none'}, and version ${here?.stars ?? 'none'} in the copy`
      }
    }
    return null
  }

  /** @returns whether there is more already */
  async #read(): Promise<boolean> {
    const { client, history, log } = this.#deps
    const answer = await client.ask(`/api/v1/changes?limit=200&since=${this.#since}`)
    if (answer === null) {
      return false
    }
    const { data, pagination } = answer.json() as ChangesAnswer
    let last = this.#since
    for (const { sequence, id, change, skill } of data) {
      this.told += 1
      if (sequence <= last) {
        log.complain('changes', `change ${sequence} of ${id} was told behind ${last}`)
      }
      last = sequence
      if (change === 'removed') {
        this.#copy.delete(id)
      } else if (skill !== null) {
        this.#copy.set(id, skill)
        const complaint = history.complaint(skill, { ...answer.reading, source: 'records' })
        if (complaint !== null) {
          log.complain('state', complaint)
        }
      }
    }
    this.#since = pagination.nextSince
    return pagination.more
  }
}
