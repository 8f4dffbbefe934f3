import { cpus } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'

/** How long the processors are watched. */
const watchMs = 500

/** The share of the processors that is busy while the benchmark waits: other programs disturb what is measured next. */
export async function busyShare(): Promise<number> {
  const before = spent()
  await sleep(watchMs)
  const after = spent()
  const totalMs = after.totalMs - before.totalMs
  return totalMs === 0 ? 0 : 1 - (after.idleMs - before.idleMs) / totalMs
}

function spent(): { totalMs: number; idleMs: number } {
  const all = cpus().map(({ times }) => times)
  return {
    totalMs: all.reduce((sum, { user, nice, sys, idle, irq }) => sum + user + nice + sys + idle + irq, 0),
    idleMs: all.reduce((sum, { idle }) => sum + idle, 0),
  }
}
