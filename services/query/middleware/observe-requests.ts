import type { ParameterizedContext } from 'koa'
import type { QueryMiddleware, RequestState } from './state.js'

/** How a request ended. */
export interface RequestEnd {
  seconds: number
  /** False: the client left before the answer's end. */
  answered: boolean
}

/** Looks on at requests. */
export interface RequestObserver {
  began?(): void
  /** When the answer has left, or the client has. */
  ended(ctx: ParameterizedContext<RequestState>, end: RequestEnd): void
}

/** Tells of every request, to all who look on. */
export const observeRequests =
  (...observers: RequestObserver[]): QueryMiddleware =>
  (ctx, next) => {
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
    return next()
  }
