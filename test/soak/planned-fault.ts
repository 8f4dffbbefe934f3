import type { CrashPoint } from '../faults/support/crash-points.mjs'

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
