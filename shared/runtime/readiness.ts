import { setTimeout as sleep } from 'node:timers/promises'

/** Requests within this time share one check, since they are not rate limited. */
const cacheMs = 1_000

/** Time limit of one check. */
const timeLimitMs = 5_000

export interface Readiness {
  ready: boolean
  dependencies: Record<string, 'up' | 'down'>
}

/** Checks which dependencies of a service are available. */
export class ReadinessCheck {
  readonly #checks: Record<string, () => Promise<unknown>>
  readonly #clock: () => number
  #last: { atMs: number; readiness: Promise<Readiness> } | null = null

  /**
   * @param checks by dependency: a cheap call; it is down if the call rejects
   * @param clock epoch milliseconds
   */
  constructor(checks: Record<string, () => Promise<unknown>>, clock: () => number = Date.now) {
    this.#checks = checks
    this.#clock = clock
  }

  /** Checks all of them, at most once per second. Never throws. */
  check(): Promise<Readiness> {
    const nowMs = this.#clock()
    if (this.#last === null || nowMs - this.#last.atMs >= cacheMs) {
      this.#last = { atMs: nowMs, readiness: this.#checkAll() }
    }
    return this.#last.readiness
  }

  async #checkAll(): Promise<Readiness> {
    const states = await Promise.all(
      Object.entries(this.#checks).map(async ([name, ask]) => [name, await isUp(ask)] as const),
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

/** The response of `/healthz` and `/readyz`; null for any other path. */
export async function answerHealth(
  path: string,
  check: Pick<ReadinessCheck, 'check'>,
): Promise<{ status: 200 | 503; body: Record<string, unknown> } | null> {
  switch (path) {
    case '/healthz':
      return { status: 200, body: { status: 'alive' } }
    case '/readyz': {
      const { ready, dependencies } = await check.check()
      return { status: ready ? 200 : 503, body: { status: ready ? 'ready' : 'not_ready', dependencies } }
    }
    default:
      return null
  }
}
