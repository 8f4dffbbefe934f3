import { hash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Random } from '../../services/indexer/seed/random.js'
import { ApiClient } from './api-client.js'
import { importPrompts } from './broken-imports.js'
import { Follower } from './follower.js'
import { heal, judgeComparison } from './heal.js'
import { History } from './history.js'
import { FaultPlan, faultInWords, type Mode, type PlannedFault } from './plan-faults.js'
import { type PlannedWrite, WritePlan, type Writer } from './plan-writes.js'
import { Readers } from './readers.js'
import type { SoakCatalog } from './soak-catalog.js'
import type { SoakLog } from './soak-log.js'
import { strike } from './strike.js'
import { Walker } from './walker.js'

/** For how long writers write and faults strike between two looks at what it has come to. */
const roundMs = 30_000

/** A soak: rounds of writes and faults, and readers that never rest. */
export class Rounds {
  readonly #catalog: SoakCatalog
  readonly #log: SoakLog
  readonly #history = new History(() => performance.now())
  readonly #client: ApiClient
  readonly #readers: Readers
  readonly #walker: Walker
  readonly #follower: Follower
  readonly #writes: WritePlan
  readonly #faults: FaultPlan
  /** What each writer, and whoever strikes a target, has still to do, one after the other. */
  readonly #lanes = new Map<string, Promise<void>>()
  readonly #ended = new AbortController()
  #reading: Promise<unknown> = Promise.resolve()
  /** Documents that were deleted without a trace since the last look, with the names that they had. */
  #vanished = 0
  #written = 0
  #struck = 0
  #rounds = 0

  constructor(catalog: SoakCatalog, { seed, mode, log }: { seed: number; mode: Mode; log: SoakLog }) {
    this.#catalog = catalog
    this.#log = log
    this.#client = new ApiClient(catalog, this.#history, log)
    const deps = { client: this.#client, history: this.#history, log, random: new Random(seed, 'readers') }
    this.#readers = new Readers(deps)
    this.#walker = new Walker(deps)
    this.#follower = new Follower(deps)
    this.#writes = new WritePlan(seed, Object.keys(catalog.writers) as Writer[])
    this.#faults = new FaultPlan(seed, mode)
  }

  /** Fills the catalog, and has the readers begin. */
  async begin(): Promise<void> {
    const first = this.#writes.begin()
    for (const by of new Set(first.map((write) => write.by))) {
      this.#later(by, () => this.#write(first.filter((write) => write.by === by)))
    }
    await this.#rest()
    await importPrompts(this.#catalog)
    const { signal } = this.#ended
    this.#reading = Promise.all(
      [this.#readers, this.#readers, this.#walker, this.#follower].map((each) => each.run(signal)),
    )
    // Awaited at the end; until then its failure is nobody's surprise.
    this.#reading.catch(() => undefined)
    await heal(this.#parts(), 0)
    this.#log.tell(`begun with ${this.#history.published().size} skills`)
  }

  /** Writes and strikes as planned, and waits until all of it has healed. */
  async round(): Promise<void> {
    this.#rounds += 1
    const began = performance.now()
    const writes = this.#writes.round(roundMs)
    const faults = this.#faults.round(roundMs)
    const steps = [
      ...writes.map((write) => ({ atMs: write.atMs, do: () => this.#later(write.by, () => this.#write([write])) })),
      ...faults.map((fault) => ({ atMs: fault.atMs, do: () => this.#strikeLater(fault, began) })),
    ].sort((one, other) => one.atMs - other.atMs)
    for (const step of steps) {
      await sleep(Math.max(0, step.atMs - (performance.now() - began)))
      step.do()
    }
    await this.#rest()
    const over = performance.now()
    await heal(this.#parts(), this.#vanished)
    this.#vanished = 0
    const healedIn = ((performance.now() - over) / 1_000).toFixed(1)
    const plan = hash('sha256', JSON.stringify([writes, faults])).slice(0, 8)
    this.#log.tell(
      `round ${this.#rounds}: ${writes.length} writes, ${faults.length} faults (plan ${plan}), healed and compared in ` +
        `${healedIn} s`,
    )
  }

  /** Ends the readers. */
  async end(): Promise<void> {
    this.#ended.abort()
    await this.#reading
  }

  summary(): string {
    const { answers, slowestMs } = this.#client
    const counts = [...answers].sort().map(([status, count]) => `${count} × ${status === 0 ? 'none' : status}`)
    return (
      `${this.#rounds} rounds, ${this.#written} writes, ${this.#struck} faults; answers: ${counts.join(', ')}, ` +
      `the slowest after ${(slowestMs / 1_000).toFixed(1)} s; ${this.#readers.seen} states of skills read, ` +
      `${this.#walker.walks} walks, ${this.#follower.told} changes told`
    )
  }

  #parts() {
    return {
      catalog: this.#catalog,
      client: this.#client,
      history: this.#history,
      follower: this.#follower,
      log: this.#log,
    }
  }

  #later(lane: string, work: () => Promise<void>): void {
    const done = (this.#lanes.get(lane) ?? Promise.resolve()).then(work)
    this.#lanes.set(
      lane,
      done.catch((error: unknown) => this.#log.complain('end', `${lane}: ${error}`)),
    )
  }

  /** Resolves when all is done that was to be done later. */
  async #rest(): Promise<void> {
    await Promise.all(this.#lanes.values())
  }

  /** @param writes of one writer */
  async #write(writes: PlannedWrite[]): Promise<void> {
    const confirms = writes.flatMap((write) => this.#begin(write))
    await this.#catalog.writers[writes[0]?.by ?? 'store']?.write(writes)
    for (const confirm of confirms) {
      confirm()
    }
    this.#written += writes.length
  }

  #begin({ by, kind, skill, leaves }: PlannedWrite): (() => void)[] {
    const { state, removedAt: _removedAt, formerIds, ...content } = skill
    if (kind === 'vanish') {
      this.#vanished += 1 + formerIds.length
    }
    const isGone = kind === 'vanish' || (kind === 'delete' && by === 'store')
    return [
      // Replaced whole, it has lost what the catalog had noted in it: until it is taken in anew, it is not there.
      ...(kind === 'replace' ? [this.#history.begin(skill.id, by, null, false)] : []),
      ...(kind === 'moderate' ? [this.#history.begin(skill.id, by, content, true)] : []),
      this.#history.begin(skill.id, by, isGone ? null : content, state === 'published'),
      ...(leaves === null ? [] : [this.#history.begin(leaves, by, null, false)]),
    ]
  }

  #strikeLater(fault: PlannedFault, began: number): void {
    if (fault.kind === 'freeze' && fault.target === 'mongodb') {
      this.#freezeDatabase(fault, began)
    } else {
      this.#later(fault.target, () => this.#strike(fault, began))
    }
  }

  /** Nobody writes meanwhile: what was sent to a database that stands still is done at a time that nobody knows. */
  #freezeDatabase(fault: PlannedFault, began: number): void {
    const writers = Object.keys(this.#catalog.writers)
    let free: () => void = () => undefined
    const over = new Promise<void>((resolve) => {
      free = resolve
    })
    const held = writers.map(
      (writer) =>
        new Promise<void>((resolve) =>
          this.#later(writer, () => {
            resolve()
            return over
          }),
        ),
    )
    this.#later(fault.target, async () => {
      await Promise.all(held)
      await this.#strike(fault, began).finally(free)
    })
  }

  async #strike(fault: PlannedFault, began: number): Promise<void> {
    this.#log.tell(
      `round ${this.#rounds}, ${((performance.now() - began) / 1_000).toFixed(1)} s: ${faultInWords(fault)}`,
    )
    this.#struck += 1
    const result = await strike(this.#catalog, fault, this.#log)
    if (fault.target === 'verify') {
      judgeComparison(result, this.#vanished, this.#log)
    }
  }
}
