import { skillOf } from '../../../shared/records/skill.js'
import {
  type CatalogDay,
  dateOfDay,
  dayOf,
  historyDays,
  type StarDay,
  type Stats,
  trendOf,
  withDay,
} from '../../../shared/records/stats.js'
import { stateKeys } from '../../../shared/state-keys.js'
import type { Job, JobContext } from '../runner/job.js'
import { ingest } from './ingest.js'

const skillsPerBatch = 1_000

/**
 * Records how stars and the catalog grow: a number a day for each skill that moved, and the totals of the catalog. It
 * reads only the skills that have changed since its last run. Each day, it computes again which skills are trending.
 */
export const recordHistory: Job = {
  name: 'record-history',
  summary: 'record the stars of each skill that moved, and the totals of the catalog',
  everySeconds: 3_600,

  async run(context) {
    if (!(await context.changes.bounds()).complete) {
      return { waitingFor: ingest.name }
    }
    const day = dayOf(context.clock())
    const moved = await recordChanged(context, day)
    const trending = await computeTrends(context, day)
    await recordTotals(context, day)
    return { moved, trending }
  },
}

/** Records the stars of the skills that have changed since the last run. Returns how many of them moved. */
async function recordChanged(context: JobContext, day: number): Promise<number> {
  const { catalog, changes: log, lock, signal, progress } = context
  let moved = 0
  for (let position = (await catalog.readState<number>(stateKeys.historyPosition)) ?? 0; ; ) {
    signal.throwIfAborted()
    const { changes, head } = await log.after(position, skillsPerBatch)
    const published = changes.filter(({ contentHash }) => contentHash !== null)
    moved += await recordStars(
      context,
      published.map(({ id }) => id),
      day,
    )
    progress.add(changes.length)
    const isLast = changes.length < skillsPerBatch
    position = isLast ? head : (changes.at(-1)?.sequence ?? head)
    await catalog.writeState(stateKeys.historyPosition, position, lock)
    if (isLast) {
      return moved
    }
  }
}

/** Stores the histories of these skills with their present stars. Returns how many have changed. */
async function recordStars({ catalog, lock }: JobContext, ids: string[], day: number): Promise<number> {
  const histories = await historiesOf(catalog, ids)
  const found = await catalog.findSkills(ids)
  const moved = found.flatMap((each) => {
    if (each.state !== 'published') {
      return []
    }
    const { id, stars } = skillOf(each)
    if (stars === null) {
      return []
    }
    const before = histories.get(id) ?? []
    const days = withDay(before, day, stars)
    return days === before ? [] : [{ id, days, trend: trendOf(days, day) }]
  })
  await catalog.writeHistories(moved, lock)
  return moved.length
}

/**
 * Computes the trends of a new day: gains of earlier days are no longer among the last 7 or 30.
 *
 * @returns how many skills were looked at; 0: they are of this day already
 */
async function computeTrends({ catalog, lock, signal, progress }: JobContext, day: number): Promise<number> {
  if ((await catalog.readState<number>(stateKeys.trendsDay)) === day) {
    return 0
  }
  let trending = 0
  for (let afterId: string | null = null; ; ) {
    signal.throwIfAborted()
    const ids: string[] = await catalog.listTrending(afterId, skillsPerBatch)
    const histories = await historiesOf(catalog, ids)
    await catalog.writeHistories(
      [...histories].map(([id, days]) => ({ id, days, trend: trendOf(days, day) })),
      lock,
    )
    progress.add(ids.length)
    trending += ids.length
    afterId = ids.at(-1) ?? null
    if (ids.length < skillsPerBatch) {
      await catalog.writeState(stateKeys.trendsDay, day, lock)
      return trending
    }
  }
}

const historiesOf = async (catalog: JobContext['catalog'], ids: string[]): Promise<Map<string, StarDay[]>> =>
  new Map((await catalog.readHistories(ids)).map(({ id, days }) => [id, days]))

/** Keeps the totals of the day, as last computed. */
async function recordTotals({ catalog, lock }: JobContext, day: number): Promise<void> {
  const stats = await catalog.readState<Stats>(stateKeys.stats)
  if (stats === null) {
    return
  }
  const today: CatalogDay = { date: dateOfDay(day), ...stats.totals }
  const history = (await catalog.readState<CatalogDay[]>(stateKeys.catalogHistory)) ?? []
  const kept = history.filter(({ date }) => date < today.date && date > dateOfDay(day - historyDays))
  await catalog.writeState(stateKeys.catalogHistory, [...kept, today], lock)
}
