import { setTimeout as sleep } from 'node:timers/promises'
import type { Collection, Document } from 'mongodb'
import { hashText } from '../../services/indexer/seed/random.js'
import type { PlannedWrite } from './plan-writes.js'
import type { StoreWriter } from './store-writer.js'
import { type KillableWriter, type SkillWriter, untilDone } from './writers.js'

/** The formats in which applications write the time of a change. */
const timeForms: ((time: Date) => unknown)[] = [
  (time) => time,
  (time) => time.toISOString(),
  (time) => time.getTime(),
  (time) => String(time.getTime()),
  // With a fraction, so that two changes in one second differ.
  (time) => time.getTime() / 1_000,
]

/** The current time in the document's format. */
const presentTime = (document: string): unknown => timeForms[hashText(document) % timeForms.length]?.(new Date())

/** Writes documents like another application, which does not know the catalog. */
export class CrawlerWriter implements SkillWriter {
  readonly #skills: Collection<Document & { _id: string }>
  #closed = false

  constructor(skills: Collection<Document & { _id: string }>) {
    this.#skills = skills
  }

  /** A write may be done twice: it is repeated when its response does not arrive. */
  async write(writes: PlannedWrite[]): Promise<void> {
    for (const write of writes) {
      await untilDone(
        () => this.#isWritten(write),
        () => this.#closed,
      )
    }
  }

  close(): void {
    this.#closed = true
  }

  async #isWritten({ kind, document, skill }: PlannedWrite): Promise<boolean> {
    if (kind === 'vanish') {
      await this.#skills.deleteOne({ _id: document })
      return true
    }
    const { id: _id, indexedAt: _indexedAt, removedAt: _removedAt, formerIds: _former, state, ...fields } = skill
    const written = {
      ...fields,
      pushedAt: skill.updatedAt,
      hidden: state === 'hidden',
      deleted: state === 'removed',
      updatedAt: presentTime(document),
    }
    if (kind === 'add' || kind === 'replace') {
      await this.#skills.replaceOne({ _id: document }, written, { upsert: true })
    } else {
      await this.#skills.updateOne({ _id: document }, { $set: written }, { upsert: true })
    }
    return true
  }
}

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
    const fields = () => ({ hidden: true, pushedAt: updatedAt, updatedAt: new Date() })
    await untilDone(
      async () => (await this.#skills.updateOne({ owner, repo, skill }, { $set: fields() })).matchedCount === 1,
      () => this.#closed,
    )
  }
}
