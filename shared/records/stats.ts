import { z } from 'zod'
import { Timestamp } from './schemas.js'

/** The statistics of the catalog, as the indexer computes them and the API returns them. */
export const Stats = z
  .object({
    totals: z
      .object({
        skills: z.int().describe('number of published skills'),
        repositories: z
          .int()
          .nullable()
          .default(null)
          .describe(
            'number of repositories in which published skills lie; null: an earlier version did not count them',
          ),
        prompts: z.int().describe('number of published prompts'),
        organizations: z.int().describe('number of owners of published skills'),
        topics: z.int().describe('number of topics of published skills'),
        stars: z.int().describe('sum of the known stars of published skills; 0 also where none is known'),
      })
      .describe('totals'),
    topOrganizations: z
      .array(
        z.object({
          login: z.string().describe('the id, lower case'),
          name: z.string().nullable().describe('the display name'),
          skills: z.int().describe('number of its published skills'),
          stars: z.int().describe('sum of their known stars; 0 also where none is known'),
        }),
      )
      .describe('at most 20, most skills first'),
    topTopics: z
      .array(
        z.object({
          topic: z.string().describe('lower case'),
          skills: z.int().describe('number of published skills with this topic'),
        }),
      )
      .describe('at most 20, most skills first'),
    freshness: z
      .object({
        newestSkillUpdatedAt: Timestamp.nullable().describe('`updatedAt` of the most recently updated skill'),
        oldestSkillUpdatedAt: Timestamp.nullable().describe('`updatedAt` of the least recently updated skill'),
        lastSyncAt: Timestamp.nullable().describe('when the search index was last updated'),
        statsGeneratedAt: Timestamp.nullable().describe('when these statistics were computed'),
        exportsGeneratedAt: Timestamp.nullable().describe('when the export files were written'),
      })
      .describe('freshness of the data'),
  })
  .meta({ id: 'Stats' })
export type Stats = z.infer<typeof Stats>

/** The stars of a skill on a day: days since 1970-01-01 (UTC), and the number. */
export type StarDay = [day: number, stars: number]

/** Stars that a skill has gained, in none of them below 0. */
export const StarGains = z.object({
  days7: z.int().min(0).describe('stars gained in the last 7 days'),
  days30: z.int().min(0).describe('stars gained in the last 30 days'),
})
export type StarGains = z.infer<typeof StarGains>

/** How long the days of a history are kept. */
export const historyDays = 366

const msPerDay = 86_400_000

/** The day of a time, in days since 1970-01-01 (UTC). */
export const dayOf = (time: Date): number => Math.floor(time.getTime() / msPerDay)

/** The day as a date, for instance `2026-11-25`. */
export const dateOfDay = (day: number): string => new Date(day * msPerDay).toISOString().slice(0, 10)

/**
 * The history with the stars of a day, which is its last one or a later one. A day on which the number is that of the
 * day before has no entry, so that a history grows only where a skill moves. Entries older than a year are dropped, but
 * for the one that says what the number was at the beginning of that year.
 *
 * @returns the same array where nothing changes
 */
export function withDay(history: StarDay[], day: number, stars: number): StarDay[] {
  const last = history.at(-1)
  if (last?.[1] === stars) {
    return history
  }
  const earlier = history.filter(([at]) => at < day)
  // A number that has returned to what it was the day before is no move.
  const next: StarDay[] = earlier.at(-1)?.[1] === stars ? earlier : [...earlier, [day, stars]]
  const first = day - historyDays
  const kept = next.findLastIndex(([at]) => at <= first)
  return next.slice(Math.max(kept, 0))
}

/** The stars gained until a day. Before its first entry, a skill had as many as in it: being new is no gain. */
export function gainsUntil(history: StarDay[], day: number): StarGains {
  const now = history.at(-1)?.[1] ?? 0
  const gainedIn = (days: number): number => {
    const before = history.findLast(([at]) => at <= day - days) ?? history[0]
    return Math.max(0, now - (before?.[1] ?? 0))
  }
  return { days7: gainedIn(7), days30: gainedIn(30) }
}

/** Above the gains of any repository in 30 days; a larger one counts as this. */
const maxDays30 = 9_999_999

/**
 * The number by which trending skills are sorted on a day: by the gain of 7 days, then by that of 30.
 *
 * @returns 0: nothing was gained, but a later day may count a gain without another move, since the stars fell before they
 *   rose; null: no later day does
 */
export function trendOf(history: StarDay[], day: number): number | null {
  const { days7, days30 } = gainsUntil(history, day)
  const trend = days7 * (maxDays30 + 1) + Math.min(days30, maxDays30)
  const now = history.at(-1)?.[1] ?? 0
  // A number of the last 30 days that is lower than the present one is what a later day compares with.
  return trend === 0 && !history.some(([at, stars]) => at > day - 30 && stars < now) ? null : trend
}

/** The gains of a trend, see `trendOf`. */
export const gainsOf = (trend: number | null): StarGains => ({
  days7: Math.floor((trend ?? 0) / (maxDays30 + 1)),
  days30: (trend ?? 0) % (maxDays30 + 1),
})

/** The totals of the catalog at the end of a day, or of today until now. */
export const CatalogDay = Stats.shape.totals.extend({ date: z.iso.date().describe('the day, UTC') })
export type CatalogDay = z.infer<typeof CatalogDay>
