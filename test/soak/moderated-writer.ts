import { setTimeout as sleep } from 'node:timers/promises'
import type { Collection, Document } from 'mongodb'
import type { Skill } from '../../shared/records/skill.js'
import type { PlannedWrite } from './plan-writes.js'
import type { StoreWriter } from './store-writer.js'
import type { KillableWriter } from './writers.js'

const retryMs = 200

/** Approximate time of the store between reading and replacing a document. */
const maxDelayMs = 30

/** Writes through the store, while a moderator hides some of these skills by updates in the database. */
export class ModeratedWriter implements KillableWriter {
  readonly #store: StoreWriter
  readonly #skills: Collection<Document & { _id: string }>
  #closed = false

  constructor(store: StoreWriter, skills: Collection<Document & { _id: string }>) {
    this.#store = store
    this.#skills = skills
  }

  async write(writes: PlannedWrite[]): Promise<void> {
    const moderated = writes.filter(({ kind }) => kind === 'moderate')
    await Promise.all([this.#store.write(writes), ...moderated.map((write) => this.#hide(write))])
  }

  kill(): void {
    this.#store.kill()
  }

  close(): void {
    this.#closed = true
    this.#store.close()
  }

  /** Keeps the time of change that the store writes, which is also stored as `pushedAt`. */
  async #hide({ skill: { owner, repo, skill, updatedAt, stars } }: PlannedWrite): Promise<void> {
    await sleep(Number(stars) % maxDelayMs)
    while (
      !(await this.#isHidden({ owner, repo, skill }, { hidden: true, pushedAt: updatedAt, updatedAt: new Date() }))
    ) {
      if (this.#closed) {
        throw new Error('the soak has ended')
      }
      await sleep(retryMs)
    }
  }

  async #isHidden(filter: Pick<Skill, 'owner' | 'repo' | 'skill'>, fields: Document): Promise<boolean> {
    try {
      return (await this.#skills.updateOne(filter, { $set: fields })).matchedCount === 1
    } catch {
      return false
    }
  }
}
