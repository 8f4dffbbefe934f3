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
