/** The limiter class inside koa-ratelimit's Redis driver; its own types cover only the middleware. */
declare module 'koa-ratelimit/limiter/redis.js' {
  /** The part of a Redis client that the driver uses; it defines the command on a client without it. */
  interface LimiterDatabase {
    ratelimiter(
      key: string,
      nowMs: number,
      durationMs: number,
      max: number,
      peek: '0' | '1',
    ): Promise<[number, number, number]>
  }

  export default class Limiter {
    constructor(options: { id: string; db: LimiterDatabase; max: number; duration: number; namespace: string })

    /**
     * Counts one request, or with `peek` only reads; `remaining` is the number before it, `reset` is in the unit of the
     * database's command.
     */
    get(options?: { peek: boolean }): Promise<{ remaining: number; reset: number; total: number }>
  }
}
