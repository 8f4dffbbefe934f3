/** The limiter class inside koa-ratelimit's Redis driver; its own types cover only the middleware. */
declare module 'koa-ratelimit/limiter/redis.js' {
  /** The part of a Redis client that the driver uses; a client without the command is taught it. */
  export interface LimiterDatabase {
    ratelimiter(
      key: string,
      nowMs: number,
      durationMs: number,
      max: number,
      peek: '0' | '1',
    ): Promise<[number, number, number]> | [number, number, number]
  }

  export default class Limiter {
    constructor(options: { id: string; db: LimiterDatabase; max: number; duration: number; namespace: string })

    /**
     * Counts one request, or with `peek` only looks; `remaining` is what was left before it, `reset` is in the unit of the
     * database's command.
     */
    get(options?: { peek: boolean }): Promise<{ remaining: number; reset: number; total: number }>
  }
}
