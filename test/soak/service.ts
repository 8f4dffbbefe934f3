import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CrashPoint } from '../../services/indexer/crash-points.js'
import { projectRoot } from '../../shared/project-root.js'
import { endsWithUs } from './children.js'
import type { SoakLog } from './soak-log.js'

/** How long a service may take until it is there, on a machine that does much else. */
const startMs = 60_000

const greeting = 'Ctrl-C ends it.'

/** A process of the project that is hurt, and comes back. */
export class Service {
  readonly name: string
  /** What it has written, in all its lives. */
  readonly #output: string
  readonly #path: string
  readonly #env: Record<string, string>
  readonly #log: SoakLog
  #read = 0
  #child: ChildProcess | null = null
  #lostSince: number | null = null
  #foundAt = Number.NEGATIVE_INFINITY

  constructor(options: { name: string; path: string; env: Record<string, string>; folder: string; log: SoakLog }) {
    this.name = options.name
    this.#output = join(options.folder, `${options.name}.log`)
    this.#path = options.path
    this.#env = options.env
    this.#log = options.log
  }

  /** Resolves when it is there; rejects when it has ended before. */
  async start(): Promise<void> {
    const child = this.#spawn({})
    const told = this.output().length
    for (const deadline = performance.now() + startMs; !this.output().slice(told).includes(greeting); ) {
      if (child.exitCode !== null || child.signalCode !== null || performance.now() > deadline) {
        throw new Error(`${this.name} did not start:\n${this.output().slice(told)}`)
      }
      await sleep(50)
    }
    this.#lostSince = null
    this.#foundAt = performance.now()
  }

  /** As `kill -9` does; then waits, and starts it again. */
  async killFor(forMs: number): Promise<void> {
    await this.#end()
    await sleep(forMs)
    await this.start()
  }

  /** Stands still as by `kill -STOP`, then goes on. */
  async freezeFor(forMs: number): Promise<void> {
    this.#lost()
    this.#child?.kill('SIGSTOP')
    await sleep(forMs)
    this.#child?.kill('SIGCONT')
    this.#lostSince = null
    this.#foundAt = performance.now()
  }

  /** Is begun anew as one that is killed where it reaches this point, at the latest after so long; and once more. */
  async crashAt(point: CrashPoint, withinMs: number): Promise<void> {
    await this.#end()
    const doomed = this.#spawn({ NODE_ENV: 'test', CATALOG_CRASH_POINT: point })
    const over = new AbortController()
    await Promise.race([once(doomed, 'exit'), sleep(withinMs, undefined, { signal: over.signal })])
    over.abort()
    await this.#end()
    await this.start()
  }

  /** Whether it could not be asked at some time between. */
  wasAway(from: number, to: number): boolean {
    return (this.#lostSince !== null && this.#lostSince <= to) || this.#foundAt >= from
  }

  output(): string {
    return readFileSync(this.#output, 'utf8')
  }

  /** The lines that it has written since this was asked last. */
  newLines(): string[] {
    const output = this.output()
    const lines = output.slice(this.#read).split('\n')
    this.#read = output.length
    return lines
  }

  async close(): Promise<void> {
    await this.#end()
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
        this.#lost()
        this.#log.complain('end', `${this.name} ended with ${status} by itself, see ${this.#output}`)
      }
    })
    return child
  }

  #lost(): void {
    this.#lostSince ??= performance.now()
  }

  async #end(): Promise<void> {
    this.#lost()
    const child = this.#child
    if (child !== null && child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
  }
}
