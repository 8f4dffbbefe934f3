import { ownerName } from '../../services/indexer/seed/generate-records.js'
import type { SkillFilters, SkillSort } from '../../shared/ports/filter-table.js'

/** A list whose pages are measured. */
export interface MeasuredList {
  /** The kind of its filter: `topic`. */
  kind: string
  filters: SkillFilters
  sort: SkillSort
  order: 'asc' | 'desc'
}

/** Filters of seeded skills: each alone, with many and with few matches, and some together. */
const filtersByKind: Record<string, SkillFilters[]> = {
  'no filter': [{}],
  owner: [{ owner: ownerName(0).toLowerCase() }],
  license: [{ license: 'mit' }, { license: 'lgpl-3.0' }],
  language: [{ language: 'python' }, { language: 'rust' }, { language: 'zig' }],
  topic: [{ topics: ['create'] }, { topics: ['school'] }, { topics: ['kitchen'] }],
  'two topics': [{ topics: ['create', 'code'] }],
  archived: [{ archived: false }, { archived: true }],
  minStars: [{ minStars: 1 }, { minStars: 1_000 }],
  updatedSince: [{ updatedSince: '2026-01-01T00:00:00.000Z' }, { updatedSince: '2026-08-01T00:00:00.000Z' }],
  'filters together': [{ license: 'mit', language: 'python', minStars: 10 }],
}

/** Every order of every filter. */
export const measuredLists: MeasuredList[] = Object.entries(filtersByKind).flatMap(([kind, alternatives]) =>
  alternatives.flatMap((filters) =>
    (['updated', 'stars', 'created', 'name'] as const).flatMap((sort) =>
      (['asc', 'desc'] as const).map((order) => ({ kind, filters, sort, order })),
    ),
  ),
)

/** The path of a page of a list. */
export function pathOf({ filters, sort, order }: MeasuredList, limit: number, page: number): string {
  const { topics = [], ...others } = filters
  const parameters = new URLSearchParams({ sort, order, limit: String(limit), page: String(page) })
  for (const [name, value] of [...Object.entries(others), ...topics.map((topic) => ['topic', topic])]) {
    parameters.append(String(name), String(value))
  }
  return `/api/v1/skills?${parameters}`
}
