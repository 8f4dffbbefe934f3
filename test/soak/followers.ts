import { setTimeout as sleep } from 'node:timers/promises'
import type { Skill } from '../../shared/records/skill.js'
import { judgeStates, type ReaderDeps } from './readers.js'

const pauseMs = 100

/** Walks through the list by cursor repeatedly: a skill that is published during a whole walk is listed once. */
export class Walker {
  readonly #deps: ReaderDeps
  walks = 0

  constructor(deps: ReaderDeps) {
    this.#deps = deps
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#walk(signal)
      await sleep(pauseMs)
    }
  }

  async #walk(signal: AbortSignal): Promise<void> {
    const { history, log } = this.#deps
    const { confirmed } = history
    const from = performance.now()
    const listed = new Map<string, number>()
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await this.#page(cursor)
      if (signal.aborted) {
        return
      }
      if (page === null) {
        await sleep(pauseMs)
        continue
      }
      for (const { id } of page.data) {
        listed.set(id, (listed.get(id) ?? 0) + 1)
      }
      cursor = page.pagination.nextCursor
    }
    this.walks += 1
    for (const id of history.throughout({ source: 'records', from, to: performance.now(), confirmed })) {
      if (listed.get(id) !== 1) {
        log.violation('walk', `${id} was published during a whole walk, but listed ${listed.get(id) ?? 0} times`)
      }
    }
  }

  async #page(cursor: string): Promise<ListPage | null> {
    const answer = await this.#deps.client.ask(
      `/api/skills?sort=created&limit=17${cursor === '' ? '' : `&cursor=${cursor}`}`,
    )
    if (answer === null) {
      return null
    }
    const page = answer.json() as ListPage
    judgeStates(this.#deps, page.data, { ...answer.reading, source: 'records' })
    return page
  }
}

interface ListPage {
  data: Skill[]
  pagination: { nextCursor: string | null }
}

interface ChangesAnswer {
  data: { sequence: number; id: string; change: 'published' | 'removed'; skill: Skill | null }[]
  pagination: { nextSince: number; more: boolean }
}

/** Before the feed is read again. */
const feedPauseMs = 300

/** Keeps a copy from the change feed only. */
export class Follower {
  readonly #deps: ReaderDeps
  readonly #copy = new Map<string, Skill>()
  #since = 0
  changes = 0

  constructor(deps: ReaderDeps) {
    this.#deps = deps
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (!(await this.#read())) {
        await sleep(feedPauseMs)
      }
    }
  }

  /** The first difference between the copy and the published skills; null: none. */
  difference(): string | null {
    const [first] = this.#deps.history.differences(this.#copy)
    if (first === undefined) {
      return null
    }
    const [id, expected, copied] = first
    return `${id} is version ${expected?.stars ?? 'none'}, and version ${copied?.stars ?? 'none'} in the copy`
  }

  /** @returns whether there are more changes */
  async #read(): Promise<boolean> {
    const { client, log } = this.#deps
    const answer = await client.ask(`/api/v1/changes?limit=200&since=${this.#since}`)
    if (answer === null) {
      return false
    }
    const { data, pagination } = answer.json() as ChangesAnswer
    let last = this.#since
    for (const { sequence, id, change, skill } of data) {
      this.changes += 1
      if (sequence <= last) {
        log.violation('changes', `change ${sequence} of ${id} was listed after ${last}`)
      }
      last = sequence
      if (change === 'removed') {
        this.#copy.delete(id)
      } else if (skill !== null) {
        this.#copy.set(id, skill)
        judgeStates(this.#deps, [skill], { ...answer.reading, source: 'records' })
      }
    }
    this.#since = pagination.nextSince
    return pagination.more
  }
}
