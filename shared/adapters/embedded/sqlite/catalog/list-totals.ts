import { maxListTotal, type SkillListPage } from '../../../../ports/skill-reader.js'
import type { SqliteDatabase, SqlValue } from '../database.js'

/** The number of rows that match the filters. */
export type SkillTotal = Pick<SkillListPage, 'total' | 'totalIsLowerBound'>

/** A part of a query, and the values that are bound in it. */
export interface SqlPart {
  sql: string
  values: SqlValue[]
}

/** A total that takes less is counted again after each change. */
const leastCostMs = 20

/** The maximum time for which a total is kept while the catalog changes. */
const maxAgeMs = 30_000

/** The maximum number of kept totals. */
const maxKept = 1_000

/** The sequence of the catalog's latest change. */
const catalogHead = (db: SqliteDatabase): number => Number(db.get('SELECT head FROM change_log')?.['head'] ?? 0)

/** Counts rows. @param limit the number at which the count ends */
export const countRows = (db: SqliteDatabase, { sql, values }: SqlPart, limit: number): number =>
  Number(db.get(`SELECT count(*) AS n FROM (SELECT 1 FROM ${sql} LIMIT ?)`, [...values, limit])?.['n'] ?? 0)

/**
 * Totals of lists that have to be counted, up to a limit. Each is kept until the next change, and during writes for a
 * hundred times as long as it took to count, so that at most a hundredth of the time is spent on counting it again.
 */
export class ListTotals {
  readonly #kept = new Map<string, SkillTotal & { head: number; untilMs: number }>()

  /** @param matches FROM and WHERE */
  count(db: SqliteDatabase, matches: SqlPart, limit = maxListTotal): SkillTotal {
    const head = catalogHead(db)
    const atMs = performance.now()
    const key = JSON.stringify([matches, limit])
    const known = this.#kept.get(key)
    if (known !== undefined && (known.head === head || atMs < known.untilMs)) {
      return known
    }
    const rows = countRows(db, matches, limit + 1)
    if (this.#kept.size >= maxKept) {
      this.#kept.clear()
    }
    const total = { total: Math.min(rows, limit), totalIsLowerBound: rows > limit }
    const tookMs = performance.now() - atMs
    this.#kept.set(key, {
      ...total,
      head,
      untilMs: atMs + (tookMs < leastCostMs ? 0 : Math.min(100 * tookMs, maxAgeMs)),
    })
    return total
  }
}
