import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Collection, Document } from 'mongodb'
import { hashText } from '../../services/indexer/seed/random.js'
import type { StoredSkill } from '../../shared/records/skill.js'
import { projectRoot } from '../../shared/runtime/project-root.js'
import { endsWithUs } from '../support/children.js'
import type { PlannedWrite } from './plan-writes.js'

const retryMs = 200

/** Writes into a catalog. */
export abstract class SkillWriter {
  #closed = false

  /** Resolves when all writes are confirmed. Each must be of another skill. */
  abstract write(writes: PlannedWrite[]): Promise<void>

  /** Kills its process with SIGKILL, where it has one. */
  kill(): void {}

  close(): void {
    this.#closed = true
    this.kill()
  }

  /** Repeats an attempt until it returns true. @throws Error when the soak has ended */
  protected async untilDone(attempt: () => Promise<boolean>): Promise<void> {
    while (!(await attempt().catch(() => false))) {
      await sleep(retryMs)
      if (this.#closed) {
        throw new Error('the soak has ended')
      }
    }
  }
}

/** A request to the writing process; processed in the order of the fields. */
export interface StoreRequest {
  number: number
  put: StoredSkill[]
  /** Ids of skills that stay hidden if they are hidden. */
  keepHidden: string[]
  remove: string[]
}

interface StoreResponse {
  number: number
  error: string | null
}

/** Writes through the catalog's store, in a process that may be killed: unconfirmed requests are repeated. */
export class StoreWriter extends SkillWriter {
  readonly #env: Record<string, string>
  #child: ChildProcess | null = null
  #number = 0

  constructor(env: Record<string, string>) {
    super()
    this.#env = env
  }

  async write(writes: PlannedWrite[]): Promise<void> {
    const request = requestOf(writes)
    await this.untilDone(() => this.#try(request))
  }

  override kill(): void {
    this.#child?.kill('SIGKILL')
  }

  async #try(request: Omit<StoreRequest, 'number'>): Promise<boolean> {
    const child = await this.#running()
    if (child === null) {
      return false
    }
    this.#number += 1
    const answered = answerOf(child, this.#number)
    child.send({ ...request, number: this.#number } satisfies StoreRequest, () => undefined)
    return (await answered)?.error === null
  }

  async #running(): Promise<ChildProcess | null> {
    if (this.#child?.connected === true) {
      return this.#child
    }
    const child = fork(join(projectRoot(), 'test/soak/store-process.ts'), {
      cwd: projectRoot(),
      execArgv: ['--import', 'tsx'],
      env: { ...process.env, ...this.#env },
    })
    endsWithUs(child)
    this.#child = child
    return (await answerOf(child, 0)) === null ? null : child
  }
}

/** The response with this number; null when the process has ended without it. */
async function answerOf(child: ChildProcess, number: number): Promise<StoreResponse | null> {
  const over = new AbortController()
  const { signal } = over
  const ended = once(child, 'exit', { signal }).then(() => null)
  const answered = (async () => {
    for (;;) {
      const [answer] = (await once(child, 'message', { signal })) as [StoreResponse]
      if (answer.number === number) {
        return answer
      }
    }
  })()
  try {
    return await Promise.race([ended, answered])
  } finally {
    ended.catch(() => undefined)
    answered.catch(() => undefined)
    over.abort()
  }
}

const requestOf = (writes: PlannedWrite[]): Omit<StoreRequest, 'number'> => ({
  put: writes
    .filter(({ kind }) => kind !== 'delete')
    .map(({ kind, skill }) => (kind === 'moderate' ? { ...skill, state: 'published' } : skill)),
  keepHidden: writes.filter(({ kind }) => kind === 'moderate').map(({ skill }) => skill.id),
  remove: writes.flatMap(({ kind, skill, previousId }) => (kind === 'delete' ? [skill.id] : (previousId ?? []))),
})

/** The formats in which applications write the time of a change. */
const timeForms: ((time: Date) => unknown)[] = [
  (time) => time,
  (time) => time.toISOString(),
  (time) => time.getTime(),
  (time) => String(time.getTime()),
  // With a fraction, so that two changes in one second differ.
  (time) => time.getTime() / 1_000,
]

const presentTime = (document: string): unknown => timeForms[hashText(document) % timeForms.length]?.(new Date())

/** Writes documents like another application, which does not know the catalog. */
export class CrawlerWriter extends SkillWriter {
  readonly #skills: Collection<Document & { _id: string }>

  constructor(skills: Collection<Document & { _id: string }>) {
    super()
    this.#skills = skills
  }

  /** A write may be done twice: it is repeated when its response does not arrive. */
  async write(writes: PlannedWrite[]): Promise<void> {
    for (const write of writes) {
      await this.untilDone(() => this.#isWritten(write))
    }
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
export class ModeratedWriter extends SkillWriter {
  readonly #store: StoreWriter
  readonly #skills: Collection<Document & { _id: string }>

  constructor(store: StoreWriter, skills: Collection<Document & { _id: string }>) {
    super()
    this.#store = store
    this.#skills = skills
  }

  async write(writes: PlannedWrite[]): Promise<void> {
    const moderated = writes.filter(({ kind }) => kind === 'moderate')
    await Promise.all([this.#store.write(writes), ...moderated.map((write) => this.#hide(write))])
  }

  override kill(): void {
    this.#store.kill()
  }

  override close(): void {
    super.close()
    this.#store.close()
  }

  /** Keeps the time of change that the store writes, which is also stored as `pushedAt`. */
  async #hide({ skill: { owner, repo, skill, updatedAt, stars } }: PlannedWrite): Promise<void> {
    await sleep(Number(stars) % maxDelayMs)
    const fields = () => ({ hidden: true, pushedAt: updatedAt, updatedAt: new Date() })
    await this.untilDone(
      async () => (await this.#skills.updateOne({ owner, repo, skill }, { $set: fields() })).matchedCount === 1,
    )
  }
}
