import { Random, weighted } from '../../services/indexer/seed/random.js'
import { formatSeconds } from '../../shared/text/format-numbers.js'
import type { CrashPoint } from '../faults/support/crash-points.mjs'
import { brokenSourceNames } from './broken-imports.js'
import { pick } from './pick.js'
import type { PlannedFault } from './soak-catalog.js'

export type Mode = 'embedded' | 'servers'

interface FaultKind {
  kind: PlannedFault['kind']
  targets: string[]
  /** Minimum and maximum of `forMs`. */
  lasts: [number, number]
  points?: (CrashPoint | null)[]
  weight: number
}

const syncPoints: CrashPoint[] = ['batch-read', 'batch-applied', 'position-kept', 'changes-logged']
const rebuildPoints: CrashPoint[] = [
  'rebuild-begun',
  'page-copied',
  'rebuild-verified',
  'index-swapped',
  'sync-continued',
]
const exportPoints: CrashPoint[] = ['export-file-written', 'export-files-written', 'exports-published']
const commands = ['sync', 'rebuild', 'export', 'stats', 'verify']

const ofCommands: FaultKind[] = [
  { kind: 'run', targets: commands, lasts: [0, 0], weight: 3 },
  { kind: 'run-killed', targets: commands, lasts: [300, 4_000], weight: 3 },
  { kind: 'run-crashed', targets: ['rebuild'], lasts: [0, 0], points: rebuildPoints, weight: 3 },
  { kind: 'run-crashed', targets: ['export'], lasts: [0, 0], points: exportPoints, weight: 1 },
  { kind: 'import-broken', targets: brokenSourceNames, lasts: [0, 0], weight: 2 },
  { kind: 'kill', targets: ['writer'], lasts: [0, 500], weight: 2 },
]

const kinds: Record<Mode, FaultKind[]> = {
  embedded: [
    ...ofCommands,
    { kind: 'kill', targets: ['service'], lasts: [0, 2_000], weight: 4 },
    { kind: 'crash', targets: ['service'], lasts: [8_000, 8_000], points: syncPoints, weight: 3 },
    { kind: 'freeze', targets: ['service'], lasts: [200, 8_000], weight: 3 },
  ],
  servers: [
    ...ofCommands,
    { kind: 'kill', targets: ['indexer-a', 'indexer-b', 'query'], lasts: [0, 2_000], weight: 4 },
    { kind: 'crash', targets: ['indexer-a', 'indexer-b'], lasts: [8_000, 8_000], points: syncPoints, weight: 3 },
    { kind: 'freeze', targets: ['indexer-a', 'indexer-b', 'query'], lasts: [200, 8_000], weight: 2 },
    // Longer than a lease.
    { kind: 'freeze', targets: ['indexer-a', 'indexer-b'], lasts: [35_000, 40_000], weight: 1 },
    { kind: 'freeze', targets: ['mongodb', 'meilisearch', 'redis'], lasts: [200, 8_000], weight: 3 },
    { kind: 'restart', targets: ['meilisearch', 'redis'], lasts: [0, 3_000], weight: 3 },
    { kind: 'flush', targets: ['redis'], lasts: [0, 0], weight: 1 },
    { kind: 'cut', targets: ['mongodb', 'meilisearch', 'redis'], lasts: [0, 0], weight: 2 },
    { kind: 'refuse', targets: ['mongodb', 'meilisearch', 'redis'], lasts: [500, 6_000], weight: 2 },
  ],
}

/** Between two faults. */
const minPauseMs = 500
const maxPauseMs = 7_000

/** Plans the faults of each round from a seed. */
export class FaultPlan {
  readonly #random: Random
  readonly #kind: (random: Random) => FaultKind

  constructor(seed: number, mode: Mode) {
    this.#random = new Random(seed, `faults ${mode}`)
    this.#kind = weighted(kinds[mode].map((each): [FaultKind, number] => [each, each.weight]))
  }

  round(lengthMs: number): PlannedFault[] {
    const faults: PlannedFault[] = []
    const busyUntil = new Map<string, number>()
    for (let atMs = this.#pause(); atMs < lengthMs; atMs += this.#pause()) {
      const fault = this.#fault(atMs)
      // A target with a fault in progress gets no other one.
      if ((busyUntil.get(fault.target) ?? 0) <= atMs) {
        busyUntil.set(fault.target, atMs + fault.forMs)
        faults.push(fault)
      }
    }
    return faults
  }

  #fault(atMs: number): PlannedFault {
    const { kind, targets, lasts, points = [null] } = this.#kind(this.#random)
    const forMs = this.#random.between(...lasts)
    return { atMs, kind, target: pick(this.#random, targets), forMs, point: pick(this.#random, points) }
  }

  #pause = (): number => this.#random.between(minPauseMs, maxPauseMs)
}

/** A fault as text for the log. */
export function describeFault({ kind, target, forMs, point }: PlannedFault): string {
  const where = point === null ? '' : ` at ${point}`
  return `${kind} ${target}${where}${forMs === 0 ? '' : `, ${formatSeconds(forMs)}`}`
}
