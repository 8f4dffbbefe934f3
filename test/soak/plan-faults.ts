import type { CrashPoint } from '../../services/indexer/crash-points.js'
import { Random } from '../../services/indexer/seed/random.js'
import { brokenSourceNames } from './broken-imports.js'
import { pick, pickByParts } from './pick.js'

export type Mode = 'embedded' | 'servers'

/** Something that strikes, and is over after a while. */
export interface PlannedFault {
  /** Milliseconds from the beginning of its round. */
  atMs: number
  kind:
    | 'kill'
    | 'freeze'
    | 'crash'
    | 'run'
    | 'run-killed'
    | 'run-crashed'
    | 'import-broken'
    | 'restart'
    | 'flush'
    | 'cut'
    | 'refuse'
  /** A service, a server, a command, or a broken source. */
  target: string
  /** How long it lasts, or after what time it strikes. */
  forMs: number
  /** Where a process is killed. */
  point: CrashPoint | null
}

interface FaultKind {
  kind: PlannedFault['kind']
  targets: string[]
  /** The shortest and the longest that it lasts. */
  lasts: [number, number]
  points?: (CrashPoint | null)[]
  /** How often, in parts of the whole. */
  often: number
}

const syncPoints: CrashPoint[] = ['batch-read', 'batch-applied', 'watermark-kept', 'changes-read', 'changes-logged']
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
  { kind: 'run', targets: commands, lasts: [0, 0], often: 3 },
  { kind: 'run-killed', targets: commands, lasts: [300, 4_000], often: 3 },
  { kind: 'run-crashed', targets: ['rebuild'], lasts: [0, 0], points: rebuildPoints, often: 3 },
  { kind: 'run-crashed', targets: ['export'], lasts: [0, 0], points: exportPoints, often: 1 },
  { kind: 'import-broken', targets: brokenSourceNames, lasts: [0, 0], often: 2 },
  { kind: 'kill', targets: ['writer'], lasts: [0, 500], often: 2 },
]

const kinds: Record<Mode, FaultKind[]> = {
  embedded: [
    ...ofCommands,
    { kind: 'kill', targets: ['service'], lasts: [0, 2_000], often: 4 },
    { kind: 'crash', targets: ['service'], lasts: [8_000, 8_000], points: syncPoints, often: 3 },
    { kind: 'freeze', targets: ['service'], lasts: [200, 8_000], often: 3 },
  ],
  servers: [
    ...ofCommands,
    { kind: 'kill', targets: ['indexer-a', 'indexer-b', 'query'], lasts: [0, 2_000], often: 4 },
    { kind: 'crash', targets: ['indexer-a', 'indexer-b'], lasts: [8_000, 8_000], points: syncPoints, often: 3 },
    { kind: 'freeze', targets: ['indexer-a', 'indexer-b', 'query'], lasts: [200, 8_000], often: 2 },
    // For longer than a lock lasts.
    { kind: 'freeze', targets: ['indexer-a', 'indexer-b'], lasts: [35_000, 40_000], often: 1 },
    { kind: 'freeze', targets: ['mongodb', 'meilisearch', 'redis'], lasts: [200, 8_000], often: 3 },
    { kind: 'restart', targets: ['meilisearch', 'redis'], lasts: [0, 3_000], often: 3 },
    { kind: 'flush', targets: ['redis'], lasts: [0, 0], often: 1 },
    { kind: 'cut', targets: ['mongodb', 'meilisearch', 'redis'], lasts: [0, 0], often: 2 },
    { kind: 'refuse', targets: ['mongodb', 'meilisearch', 'redis'], lasts: [500, 6_000], often: 2 },
  ],
}

/** Between one fault and the next. */
const shortestPauseMs = 500
const longestPauseMs = 7_000

/** Plans what strikes, round by round, from a seed. */
export class FaultPlan {
  readonly #random: Random
  readonly #kinds: FaultKind[]

  constructor(seed: number, mode: Mode) {
    this.#random = new Random(seed, `faults ${mode}`)
    this.#kinds = kinds[mode]
  }

  round(lengthMs: number): PlannedFault[] {
    const faults: PlannedFault[] = []
    const busyUntil = new Map<string, number>()
    for (let atMs = this.#pause(); atMs < lengthMs; atMs += this.#pause()) {
      const fault = this.#fault(atMs)
      // What lies on the ground already cannot be struck again.
      if ((busyUntil.get(fault.target) ?? 0) <= atMs) {
        busyUntil.set(fault.target, atMs + fault.forMs)
        faults.push(fault)
      }
    }
    return faults
  }

  #fault(atMs: number): PlannedFault {
    const {
      kind,
      targets,
      lasts,
      points = [null],
    } = pickByParts(
      this.#random,
      this.#kinds.map((each): [FaultKind, number] => [each, each.often]),
    )
    const forMs = this.#random.between(...lasts)
    return { atMs, kind, target: pick(this.#random, targets), forMs, point: pick(this.#random, points) }
  }

  #pause = (): number => this.#random.between(shortestPauseMs, longestPauseMs)
}

/** A fault in words. */
export function faultInWords({ kind, target, forMs, point }: PlannedFault): string {
  const where = point === null ? '' : ` at ${point}`
  return `${kind} ${target}${where}${forMs === 0 ? '' : `, ${(forMs / 1_000).toFixed(1)} s`}`
}
