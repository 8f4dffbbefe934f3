import { z } from 'zod'
import type { StoredSkill } from '../../../shared/records/skill.js'
import { AppError, operatorError } from '../../../shared/runtime/errors.js'
import { boundWalk, changeState, type Mirror, rejectRecord, removeRecords } from './mirror.js'
import { mapSourceRecord } from './read-export.js'

/** Changes per request; the small page is for changes that exceed the maximum size of a response. */
const pageSize = 1_000
const smallPageSize = 100

/** Other members of the response are ignored. */
const ChangesPage = z.object({
  data: z.array(z.unknown()).max(pageSize),
  pagination: z.object({ nextSince: z.int().min(0), more: z.boolean() }),
  // Absent in earlier versions.
  catalog: z.string().max(100).nullish(),
})

/** A response with `more` that does not advance would be requested for ever. */
const pageAfter = (since: number) =>
  ChangesPage.refine(({ pagination: { nextSince, more } }) => !more || nextSince > since, {
    path: ['pagination', 'nextSince'],
    message: 'does not advance although `more` is true',
  })

interface Changes {
  skills: StoredSkill[]
  /** Ids that are published at the source, rejected records included. */
  published: string[]
  removed: string[]
}

/**
 * Applies the source's changes up to the newest one.
 *
 * @param applied called with the ids of each response
 * @throws AppError `changes_gone` (410) when the source no longer keeps some of them
 */
export async function readChanges(
  mirror: Mirror,
  applied: (published: string[], removed: string[]) => void = () => undefined,
): Promise<void> {
  const { source, catalog, counts, display } = mirror
  const bound = boundWalk(source, '/api/v1/changes')
  let { since } = mirror.state
  let limit = pageSize
  let more = true
  while (more) {
    const page = await source.get(`/api/v1/changes?since=${since}&limit=${limit}`, pageAfter(since)).catch(tooLarge)
    if (page === null && limit > smallPageSize) {
      limit = smallPageSize
      continue
    }
    if (page === null) {
      throw source.notUnderstood('/api/v1/changes', `${limit} changes are too large`)
    }
    checkCatalog(mirror, page.catalog)
    bound(page.data.length)
    const { skills, published, removed } = mapChanges(mirror, page.data)
    // What the operator of the copy has hidden stays so.
    const keepHidden = new Set(skills.map(({ id }) => id))
    const { added, changed } = await catalog.put('skills', skills, { keepHidden })
    counts.published.skills += added + changed
    await removeRecords(mirror, 'skills', removed)
    display.update(
      counts.published.skills,
      null,
      `${counts.published.skills} published, ${counts.removed.skills} removed`,
    )
    applied(published, removed)
    since = page.pagination.nextSince
    more = page.pagination.more
    // A stale copy is not consistent before all changes have been applied.
    if (!mirror.state.stale && since !== mirror.state.since) {
      await changeState(mirror, { since })
    }
  }
  mirror.state = { ...mirror.state, since }
}

/**
 * Checks that the source is the catalog that the copy was made of, before anything that it lacks is removed.
 *
 * @throws AppError `source_replaced`
 */
export async function checkSource(mirror: Mirror): Promise<void> {
  const { catalog } = await mirror.source.get('/api/v1/changes?limit=1', ChangesPage)
  checkCatalog(mirror, catalog)
}

/** The first one that the source names is kept with the state of the mirror. */
function checkCatalog(mirror: Mirror, catalog: string | null | undefined): void {
  const { source, state, folder } = mirror
  if (state.catalog === null) {
    mirror.state = { ...state, catalog: catalog ?? null }
  } else if (catalog && catalog !== state.catalog) {
    throw operatorError(
      'source_replaced',
      `${source.url} is another catalog than the one that ${folder} is a copy of, so nothing was changed. Ask its ` +
        'operator whether the old catalog was lost and will be restored. To copy the new one, choose an empty folder.',
    )
  }
}

/** Null for a response that exceeds the maximum size. */
function tooLarge(error: unknown): null {
  if (error instanceof AppError && error.code === 'answer_too_large') {
    return null
  }
  throw error
}

/** @param entries objects with `id` and `skill`, unless the source breaks the contract */
function mapChanges(mirror: Mirror, entries: unknown[]): Changes {
  const changes: Changes = { skills: [], published: [], removed: [] }
  for (const entry of entries) {
    const { id, skill } = Object(entry)
    if (typeof id === 'string' && skill === null) {
      changes.removed.push(id)
      continue
    }
    const mapped = mapSourceRecord('skills', skill)
    if ('record' in mapped && mapped.id === id) {
      changes.skills.push(mapped.record)
    } else {
      const reason =
        'reason' in mapped ? mapped.reason : `id: does not match the change of ${JSON.stringify(id)?.slice(0, 100)}`
      rejectRecord(mirror, `/api/v1/changes, ${mapped.id ?? 'a record'}`, { id: mapped.id, reason })
    }
    if (mapped.id !== null) {
      changes.published.push(mapped.id)
    }
  }
  return changes
}
