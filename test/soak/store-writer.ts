import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { StoredSkill } from '../../shared/records/skill.js'
import { projectRoot } from '../../shared/runtime/project-root.js'
import { endsWithUs } from '../support/children.js'
import type { PlannedWrite } from './plan-writes.js'
import { type KillableWriter, untilDone } from './writers.js'

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
export class StoreWriter implements KillableWriter {
  readonly #env: Record<string, string>
  #child: ChildProcess | null = null
  #number = 0
  #closed = false

  constructor(env: Record<string, string>) {
    this.#env = env
  }

  async write(writes: PlannedWrite[]): Promise<void> {
    const request = requestOf(writes)
    await untilDone(
      () => this.#try(request),
      () => this.#closed,
    )
  }

  kill(): void {
    this.#child?.kill('SIGKILL')
  }

  close(): void {
    this.#closed = true
    this.kill()
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

/** The request for planned writes. */
const requestOf = (writes: PlannedWrite[]): Omit<StoreRequest, 'number'> => ({
  put: writes
    .filter(({ kind }) => kind !== 'delete')
    .map(({ kind, skill }) => (kind === 'moderate' ? { ...skill, state: 'published' } : skill)),
  keepHidden: writes.filter(({ kind }) => kind === 'moderate').map(({ skill }) => skill.id),
  remove: writes.flatMap(({ kind, skill, previousId }) => (kind === 'delete' ? [skill.id] : (previousId ?? []))),
})
