import { setTimeout as sleep } from 'node:timers/promises'
import type { Collection, Document } from 'mongodb'
import { hashText } from '../../services/indexer/seed/random.js'
import type { PlannedWrite } from './plan-writes.js'
import type { SkillWriter } from './writers.js'

const retryMs = 200

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
      while (!(await this.#isDone(write))) {
        await sleep(retryMs)
      }
    }
  }

  close(): void {
    this.#closed = true
  }

  async #isDone(write: PlannedWrite): Promise<boolean> {
    try {
      await this.#try(write)
      return true
    } catch (error) {
      if (this.#closed) {
        throw error
      }
      return false
    }
  }

  async #try({ kind, document, skill }: PlannedWrite): Promise<void> {
    if (kind === 'vanish') {
      await this.#skills.deleteOne({ _id: document })
      return
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
  }
}
