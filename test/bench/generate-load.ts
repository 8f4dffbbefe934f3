import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { projectRoot } from '../../shared/runtime/project-root.js'

/** Requests to a service, phase after phase without a pause. */
export interface Load {
  url: string
  /** Requested in turn. */
  paths: string[]
  /** Connections at most. */
  sockets: number
  seed: number
  phases: Phase[]
}

/** A closed loop in a number of lanes, or an open one with a number of requests a second. */
export type Phase = { lanes: number; seconds: number } | { rate: number; seconds: number }

/** Times are of the generator's monotonic clock. */
export interface PhaseResult {
  startedMs: number
  endMs: number
  /** Requests that should have been sent; those that are not in `sent` got no answer within 10 s after the end. */
  started: number
  sent: SentRequest[]
}

export interface SentRequest {
  /** When it should have been sent. */
  sinceMs: number
  /** From then until the whole answer was read. */
  latencyMs: number
  /** 0: the connection was closed without an answer. */
  status: number
  /** Whether the answer has a `Retry-After`. */
  retryAfter: boolean
}

/** Sends a load from a process of its own. @returns a result for each phase */
export async function generateLoad(load: Load): Promise<PhaseResult[]> {
  const child = spawn(process.execPath, ['--import', 'tsx', 'test/bench/load-generator.ts'], {
    cwd: projectRoot(),
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  child.stdin.end(JSON.stringify(load))
  const [output, [status]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  if (status !== 0) {
    throw new Error(`the load generator ended with ${status}`)
  }
  return JSON.parse(output)
}

/** Answers with 200 that came in a second of a phase, to its own requests. */
export const goodPerSecond = ({ startedMs, endMs, sent }: PhaseResult): number =>
  (sent.filter(({ status, sinceMs, latencyMs }) => status === 200 && sinceMs + latencyMs <= endMs).length /
    (endMs - startedMs)) *
  1_000
