import type { EventEmitter } from 'node:events'
import type { RateLimitDecision, RateLimiter, RateLimitPolicy } from '../../../shared/ports/rate-limiter.js'
import { overloaded } from '../../../shared/runtime/errors.js'

/** The message channel to another process: `process` in a worker, the worker in the primary process. */
export interface Channel extends Pick<EventEmitter, 'on'> {
  send?(message: object, sent?: (error: Error | null) => void): boolean
}

/** What the other process may call, by name. Arguments and results are plain data. */
export type Handlers = Record<string, (...args: never[]) => unknown>

type Message = { call: number; name: string; args: never[] } | { answer: number; result: unknown } | { failed: number }

/** Calls between two processes, in both directions. */
export class ProcessCalls {
  readonly #channel: Channel
  readonly #pending = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>()
  #calls = 0

  constructor(channel: Channel, handlers: Handlers) {
    this.#channel = channel
    channel.on('message', (message: Partial<Message> | null) => void this.#receive(handlers, message as Message))
  }

  /** Calls the other process. @throws Error when it does not answer in time, or fails */
  async call<T>(name: string, args: unknown[], timeoutMs: number): Promise<T> {
    this.#calls += 1
    const call = this.#calls
    let timer: NodeJS.Timeout | undefined
    try {
      return await new Promise<T>((resolve, reject) => {
        this.#pending.set(call, { resolve: (result) => resolve(result as T), reject })
        timer = setTimeout(() => reject(new Error(`no answer to ${name} within ${timeoutMs} ms`)), timeoutMs)
        this.#send({ call, name, args })
      })
    } finally {
      clearTimeout(timer)
      this.#pending.delete(call)
    }
  }

  async #receive(handlers: Handlers, message: Message): Promise<void> {
    if ('call' in message) {
      const { call, name, args } = message
      try {
        this.#send({ answer: call, result: await handlers[name]?.(...args) })
      } catch {
        this.#send({ failed: call })
      }
    } else if ('answer' in message) {
      this.#pending.get(message.answer)?.resolve(message.result)
    } else if ('failed' in message) {
      this.#pending.get(message.failed)?.reject(new Error('the call failed in the other process'))
    }
  }

  /** A message to a process that has ended is lost; the call times out. */
  #send(message: object): void {
    this.#channel.send?.(message, () => undefined)
  }
}

/** The primary process runs as long as its workers do: one that does not answer for so long has too much to do. */
const callTimeoutMs = 5_000

/** Counts requests in the primary process, for all workers together. */
export class PrimaryRateLimiter implements RateLimiter {
  /** Always false: there is no other count. */
  readonly alone = false
  readonly #primary: ProcessCalls

  constructor(primary: ProcessCalls) {
    this.#primary = primary
  }

  consume(policy: RateLimitPolicy, client: string): Promise<RateLimitDecision> {
    return this.#ask('consume', policy, client)
  }

  peek(policy: RateLimitPolicy, client: string): Promise<RateLimitDecision> {
    return this.#ask('peek', policy, client)
  }

  async close(): Promise<void> {}

  async #ask(method: 'consume' | 'peek', policy: RateLimitPolicy, client: string): Promise<RateLimitDecision> {
    try {
      return await this.#primary.call<RateLimitDecision>(method, [policy, client], callTimeoutMs)
    } catch {
      throw overloaded(1)
    }
  }
}
