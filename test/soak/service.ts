import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { projectRoot } from '../../shared/runtime/project-root.js'
import { type CrashPoint, dyingAt } from '../faults/support/crash-points.mjs'
import { endsWithUs } from '../support/children.js'
import type { SoakLog } from './soak-log.js'

const startTimeoutMs = 60_000

const greeting = 'Ctrl-C stops it.'

/** A process of the project, which is killed, frozen and started again. */
export class Service {
  readonly name: string
  /** The file with the output of all its processes. */
  readonly #output: string
  readonly #path: string
  readonly #env: Record<string, string>
  readonly #log: SoakLog
  #read = 0
  #child: ChildProcess | null = null
  #unavailableSince: number | null = null
  #availableAt = Number.NEGATIVE_INFINITY

  constructor(options: { name: string; path: string; env: Record<string, string>; folder: string; log: SoakLog }) {
    this.name = options.name
    this.#output = join(options.folder, `${options.name}.log`)
    this.#path = options.path
    this.#env = options.env
    this.#log = options.log
  }

  /** Resolves when it is ready; rejects when it ends before. */
  async start(): Promise<void> {
    const child = this.#spawn({})
    const offset = this.output().length
    for (const deadline = performance.now() + startTimeoutMs; !this.output().slice(offset).includes(greeting); ) {
      if (child.exitCode !== null || child.signalCode !== null || performance.now() > deadline) {
        throw new Error(`${this.name} did not start:\n${this.output().slice(offset)}`)
      }
      await sleep(50)
    }
    this.#unavailableSince = null
    this.#availableAt = performance.now()
  }

  /** Kills it with SIGKILL, waits, and starts it again. */
  async killFor(forMs: number): Promise<void> {
    await this.end()
    await sleep(forMs)
    await this.start()
  }

  /** Stops it with SIGSTOP, waits, and continues it. */
  async freezeFor(forMs: number): Promise<void> {
    this.#setUnavailable()
    this.#child?.kill('SIGSTOP')
    await sleep(forMs)
    this.#child?.kill('SIGCONT')
    this.#unavailableSince = null
    this.#availableAt = performance.now()
  }

  /** Restarts it as a process that is killed at a crash point, or after `withinMs`; then starts it again. */
  async crashAt(point: CrashPoint, withinMs: number): Promise<void> {
    await this.end()
    const crashing = this.#spawn(dyingAt(point))
    const over = new AbortController()
    await Promise.race([once(crashing, 'exit'), sleep(withinMs, undefined, { signal: over.signal })])
    over.abort()
    await this.end()
    await this.start()
  }

  /** Whether it was unavailable at some time in between. */
  wasUnavailable(from: number, to: number): boolean {
    return (this.#unavailableSince !== null && this.#unavailableSince <= to) || this.#availableAt >= from
  }

  output(): string {
    return readFileSync(this.#output, 'utf8')
  }

  /** The lines since the last call. */
  newLines(): string[] {
    const output = this.output()
    const lines = output.slice(this.#read).split('\n')
    this.#read = output.length
    return lines
  }

  #spawn(env: Record<string, string>): ChildProcess {
    const output = openSync(this.#output, 'a')
    const child = spawn(process.execPath, [this.#path], {
      cwd: projectRoot(),
      env: { ...process.env, ...this.#env, ...env },
      stdio: ['ignore', output, output],
    })
    closeSync(output)
    this.#child = child
    endsWithUs(child)
    child.once('exit', (status) => {
      if (status !== null) {
        this.#setUnavailable()
        this.#log.violation('end', `${this.name} ended with ${status} by itself, see ${this.#output}`)
      }
    })
    return child
  }

  #setUnavailable(): void {
    this.#unavailableSince ??= performance.now()
  }

  async end(): Promise<void> {
    this.#setUnavailable()
    const child = this.#child
    if (child !== null && child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
  }
}
