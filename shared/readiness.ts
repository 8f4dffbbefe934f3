import { setTimeout as sleep } from 'node:timers/promises'

/** One look serves everybody who asks within this time: whoever asks has no limits. */
const keptMs = 1_000

/** What a dependency says within this time counts. */
const timeLimitMs = 5_000

export interface Readiness {
  ready: boolean
  dependencies: Record<string, 'up' | 'down'>
}

/** Tells which of the parts that a service stands on answer just now. */
export class ReadinessCheck {
  readonly #questions: Record<string, () => Promise<unknown>>
  readonly #clock: () => number
  #last: { atMs: number; readiness: Promise<Readiness> } | null = null

  /**
   * @param questions for each dependency, by its name, one that costs it little; a rejection means that it is down
   * @param clock epoch milliseconds
   */
  constructor(questions: Record<string, () => Promise<unknown>>, clock: () => number = Date.now) {
    this.#questions = questions
    this.#clock = clock
  }

  /** Asks all of them, at most once a second. Never throws. */
  look(): Promise<Readiness> {
    const nowMs = this.#clock()
    if (this.#last === null || nowMs - this.#last.atMs >= keptMs) {
      this.#last = { atMs: nowMs, readiness: this.#askAll() }
    }
    return this.#last.readiness
  }

  async #askAll(): Promise<Readiness> {
    const states = await Promise.all(
      Object.entries(this.#questions).map(async ([name, ask]) => [name, await isUp(ask)] as const),
    )
    return {
      ready: states.every(([, up]) => up),
      dependencies: Object.fromEntries(states.map(([name, up]) => [name, up ? 'up' : 'down'])),
    }
  }
}

async function isUp(ask: () => Promise<unknown>): Promise<boolean> {
  const timer = new AbortController()
  const timeUp = sleep(timeLimitMs, false, { signal: timer.signal }).catch(() => false)
  try {
    return await Promise.race([
      ask().then(
        () => true,
        () => false,
      ),
      timeUp,
    ])
  } finally {
    timer.abort()
  }
}

/** The paths of `answerHealth`. */
export const healthPaths = ['/healthz', '/readyz']

/** What `/healthz` and `/readyz` answer; null: it is neither. */
export async function answerHealth(
  path: string,
  check: Pick<ReadinessCheck, 'look'>,
): Promise<{ status: 200 | 503; body: Record<string, unknown> } | null> {
  switch (path) {
    case '/healthz':
      return { status: 200, body: { status: 'alive' } }
    case '/readyz': {
      const { ready, dependencies } = await check.look()
      return { status: ready ? 200 : 503, body: { status: ready ? 'ready' : 'not_ready', dependencies } }
    }
    default:
      return null
  }
}
