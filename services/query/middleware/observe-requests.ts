import type { RequestContext } from './state.js'

/** How a request ended. */
export interface RequestEnd {
  seconds: number
  /** False: the client disconnected before the end of the response. */
  answered: boolean
}

/** Receives the begin and the end of requests. */
export interface RequestObserver {
  began?(): void
  /** Called when the response has been sent, or the client has disconnected. */
  ended(ctx: RequestContext, end: RequestEnd): void
}

/** Reports a request to all observers. */
export function observeRequest(ctx: RequestContext, observers: RequestObserver[]): void {
  const startedMs = performance.now()
  for (const observer of observers) {
    observer.began?.()
  }
  ctx.res.once('close', () => {
    const end = { seconds: (performance.now() - startedMs) / 1_000, answered: ctx.res.writableFinished }
    for (const observer of observers) {
      observer.ended(ctx, end)
    }
  })
}
