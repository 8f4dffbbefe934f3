import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { projectRoot } from '../../shared/runtime/project-root.js'

/** Requests to send in a closed loop: each connection sends the next one when the last one is answered. */
export interface Load {
  url: string
  /** Sent in turn. */
  requests: { path: string; headers?: Record<string, string> }[]
  /** The expected status of every answer. */
  status: number
  connections: number
  durationMs: number
}

/** What was answered within the duration of a load. */
export interface LoadResult {
  answers: number
  /** With headers. */
  bytes: number
  durationMs: number
  /** What went wrong; null: nothing. */
  error: string | null
}

/** A process that sends requests, so that its work and that of this process do not disturb each other. */
export interface LoadProcess {
  /** @throws Error when an answer has another status, or a connection fails */
  run(load: Load): Promise<LoadResult>
  stop(): void
}

export function startLoadProcess(): LoadProcess {
  const child = fork(join(projectRoot(), 'test/bench/load-process.ts'), [], { execArgv: ['--import', 'tsx'] })
  return {
    async run(load) {
      child.send(load)
      const [result]: LoadResult[] = await once(child, 'message')
      if (result === undefined || result.error !== null) {
        throw new Error(`${load.url}${load.requests[0]?.path}: ${result?.error}`)
      }
      return result
    },
    stop: () => child.kill('SIGKILL'),
  }
}
