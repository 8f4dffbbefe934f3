import { hash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Random } from '../../services/indexer/seed/random.js'
import { formatCount, formatSeconds } from '../../shared/text/format-numbers.js'
import { ApiClient } from './api-client.js'
import { importPrompts } from './broken-imports.js'
import { Follower, Walker } from './followers.js'
import { type HealDeps, heal, judgeComparison } from './heal.js'
import { History } from './history.js'
import { describeFault, FaultPlan, type Mode } from './plan-faults.js'
import { type PlannedWrite, WritePlan, type Writer } from './plan-writes.js'
import { Readers } from './readers.js'
import type { PlannedFault, SoakCatalog } from './soak-catalog.js'
import type { SoakLog } from './soak-log.js'
import { strike } from './strike.js'

/** Writes and faults between two comparisons. */
const roundMs = 30_000

/** A soak: rounds of writes and faults, with continuous readers. */
export class Rounds {
  readonly #catalog: SoakCatalog
  readonly #log: SoakLog
  readonly #history = new History(() => performance.now())
  readonly #client: ApiClient
  readonly #readers: Readers
  readonly #walker: Walker
  readonly #follower: Follower
  readonly #healed: HealDeps
  readonly #writes: WritePlan
  readonly #faults: FaultPlan
  /** Queues of writers and of the faults of each target. */
  readonly #lanes = new Map<string, Promise<void>>()
  readonly #ended = new AbortController()
  #reading: Promise<unknown> = Promise.resolve()
  #written = 0
  #struck = 0
  #rounds = 0

  constructor(catalog: SoakCatalog, { seed, mode, log }: { seed: number; mode: Mode; log: SoakLog }) {
    this.#catalog = catalog
    this.#log = log
    this.#client = new ApiClient(catalog, this.#history, log)
    const showsStored = mode === 'embedded'
    const deps = { client: this.#client, history: this.#history, log, random: new Random(seed, 'readers'), showsStored }
    this.#readers = new Readers(deps)
    this.#walker = new Walker(deps)
    this.#follower = new Follower(deps)
    this.#healed = { ...deps, catalog, follower: this.#follower }
    this.#writes = new WritePlan(seed, Object.keys(catalog.writers) as Writer[])
    this.#faults = new FaultPlan(seed, mode)
  }

  /** Fills the catalog, and starts the readers. */
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
    // Awaited at the end; until then a rejection must not end the process.
    this.#reading.catch(() => undefined)
    await heal(this.#healed)
    this.#log.print(`started with ${formatCount(this.#history.published().size, 'skills')}`)
  }

  /** Runs the planned writes and faults, and waits for the recovery. */
  async round(): Promise<void> {
    this.#rounds += 1
    const startedMs = performance.now()
    const writes = this.#writes.round(roundMs)
    const faults = this.#faults.round(roundMs)
    const steps = [
      ...togetherWritten(writes).map((some) => ({
        atMs: some[0].atMs,
        do: () => this.#later(some[0].by, () => this.#write(some)),
      })),
      ...faults.map((fault) => ({ atMs: fault.atMs, do: () => this.#strikeLater(fault, startedMs) })),
    ].sort((one, other) => one.atMs - other.atMs)
    for (const step of steps) {
      await sleep(Math.max(0, step.atMs - (performance.now() - startedMs)))
      step.do()
    }
    await this.#rest()
    const endedMs = performance.now()
    await heal(this.#healed)
    const recoveryMs = performance.now() - endedMs
    const plan = hash('sha256', JSON.stringify([writes, faults])).slice(0, 8)
    this.#log.print(
      `round ${this.#rounds}: ${formatCount(writes.length, 'writes')}, ${formatCount(faults.length, 'faults')} ` +
        `(plan ${plan}), recovered and compared in ${formatSeconds(recoveryMs)}`,
    )
  }

  async end(): Promise<void> {
    this.#ended.abort()
    await this.#reading
  }

  summary(): string {
    const { answers, slowestMs } = this.#client
    const counts = [...answers].sort().map(([status, count]) => `${count} × ${status === 0 ? 'none' : status}`)
    return [
      formatCount(this.#rounds, 'rounds'),
      formatCount(this.#written, 'writes'),
      formatCount(this.#struck, 'faults'),
      `responses: ${counts.join(', ')} (the slowest after ${formatSeconds(slowestMs)})`,
      `${formatCount(this.#readers.skillsRead, 'skills')} read`,
      formatCount(this.#walker.walks, 'walks'),
      `${formatCount(this.#follower.changes, 'changes')} followed`,
    ].join(', ')
  }

  #later(lane: string, work: () => Promise<void>): void {
    const done = (this.#lanes.get(lane) ?? Promise.resolve()).then(work)
    this.#lanes.set(
      lane,
      done.catch((error: unknown) => this.#log.violation('end', `${lane}: ${error}`)),
    )
  }

  /** Resolves when all queues are empty. */
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

  #begin({ by, kind, document, skill, previousId }: PlannedWrite): (() => void)[] {
    const { state, removedAt: _removedAt, formerIds, ...content } = skill
    this.#history.name(document, kind === 'vanish' || state !== 'published' ? null : skill.id, formerIds)
    const isGone = kind === 'vanish' || (kind === 'delete' && by === 'store')
    return [
      ...(kind === 'moderate' ? [this.#history.begin(skill.id, by, content, true)] : []),
      this.#history.begin(
        skill.id,
        kind === 'moderate' ? 'moderator' : by,
        isGone ? null : content,
        state === 'published',
      ),
      ...(previousId === null ? [] : [this.#history.begin(previousId, by, null, false)]),
    ]
  }

  #strikeLater(fault: PlannedFault, startedMs: number): void {
    if (fault.kind === 'freeze' && fault.target === 'mongodb') {
      this.#freezeDatabase(fault, startedMs)
    } else {
      this.#later(fault.target, () => this.#strike(fault, startedMs))
    }
  }

  /** Without writes, since the time of a write to a frozen database is unknown. */
  #freezeDatabase(fault: PlannedFault, startedMs: number): void {
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
      await this.#strike(fault, startedMs).finally(free)
    })
  }

  async #strike(fault: PlannedFault, startedMs: number): Promise<void> {
    this.#log.print(`round ${this.#rounds}, ${formatSeconds(performance.now() - startedMs)}: ${describeFault(fault)}`)
    this.#struck += 1
    const result = await strike(this.#catalog, fault, this.#log)
    if (fault.target === 'verify') {
      judgeComparison(result, this.#log)
    }
  }
}

function togetherWritten(writes: PlannedWrite[]): [PlannedWrite, ...PlannedWrite[]][] {
  const together: [PlannedWrite, ...PlannedWrite[]][] = []
  for (const write of writes) {
    const last = together.at(-1)
    if (last?.[0].atMs === write.atMs && last[0].by === write.by) {
      last.push(write)
    } else {
      together.push([write])
    }
  }
  return together
}
