/** The requests that the reader may still send, by the headers of the latest answer. */
export interface Quota {
  limit: number
  remaining: number
  /** Epoch milliseconds: from then on all of them are available again. */
  resetAtMs: number
}

const key = 'quota'

const listeners = new Set<() => void>()

/** Notes the quota in the headers of an answer. It is kept for the tab: the next page begins with it. */
export function noteQuota(headers: Headers): void {
  const [limit, remaining, reset] = ['Limit', 'Remaining', 'Reset'].map((name) =>
    Number(headers.get(`X-RateLimit-${name}`) ?? Number.NaN),
  )
  if (
    limit === undefined ||
    remaining === undefined ||
    reset === undefined ||
    Number.isNaN(limit + remaining + reset)
  ) {
    return
  }
  try {
    sessionStorage.setItem(key, JSON.stringify({ limit, remaining, resetAtMs: reset * 1_000 } satisfies Quota))
  } catch {
    return
  }
  for (const listener of listeners) {
    listener()
  }
}

/** The latest quota; null: none is known, or its minute is over. */
export function currentQuota(): Quota | null {
  try {
    const quota = JSON.parse(sessionStorage.getItem(key) ?? 'null') as Quota | null
    return quota !== null && quota.resetAtMs > Date.now() ? quota : null
  } catch {
    return null
  }
}

/** Calls the listener after each answer. @returns ends that */
export function watchQuota(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
