import { hash } from 'node:crypto'
import type { SearchDocument } from '../../shared/ports/search-index.js'
import { StoredSkill, skillId, toPublicSkill } from '../../shared/records/skill.js'
import { faultInWords, faultsInWords } from './field-faults.js'

/** A skill that is stored in a shape that cannot be published, and what is wrong with it. */
export interface RejectedSkill {
  id: string
  reason: string
}

/** What the index must do so that it holds a stretch of skills as they are stored now. */
export interface SearchChanges {
  publish: SearchDocument[]
  /** Ids the index must not hold: removed, hidden, gone or rejected. */
  remove: string[]
  rejected: RejectedSkill[]
}

/**
 * Sorts stored skills into what the index takes and what it must not hold.
 *
 * A document that is not a proper skill is rejected and leaves the index as well: the index holds what the catalog
 * holds now, and an older version of it is not that.
 *
 * @param changes ids with what is stored under them, unchecked; null or undefined for nothing
 */
export function toSearchDocuments(changes: { id: string; stored: unknown }[]): SearchChanges {
  const sorted: SearchChanges = { publish: [], remove: [], rejected: [] }
  for (const { id, stored } of changes) {
    const document = toSearchDocument(id, stored)
    if (document === null) {
      sorted.remove.push(id)
    } else if ('reason' in document) {
      sorted.remove.push(id)
      sorted.rejected.push(document)
    } else {
      sorted.publish.push(document)
    }
  }
  return sorted
}

/**
 * The document that the index takes for what is stored, or why there is none; null where there is to be none: it is
 * hidden, removed or gone.
 */
export function toSearchDocument(id: string, stored: unknown): SearchDocument | RejectedSkill | null {
  if (!isPublished(stored)) {
    return null
  }
  const parsed = StoredSkill.safeParse(stored, { error: faultInWords })
  if (!parsed.success) {
    return { id, reason: faultsInWords(parsed.error) }
  }
  const identity = skillId(parsed.data.owner, parsed.data.repo)
  // How a store that anyone writes to names a second document of one skill: by its id and the document's own.
  if (id.startsWith(`${identity}#`)) {
    return { id, reason: `id: another document is ${identity} already` }
  }
  if (parsed.data.id !== id || identity !== id) {
    return { id, reason: `id: owner and repo make ${identity}, but it is stored as ${id}` }
  }
  const skill = toPublicSkill(parsed.data)
  // Its members are in their one documented order, whatever order they were stored in: equal content, equal text.
  return { id, contentHash: hash('sha256', JSON.stringify(skill)), skill }
}

/** Whether this is meant to be seen. What has no known state counts as meant to be, so that its fault is told. */
function isPublished(stored: unknown): boolean {
  if (stored === null || stored === undefined) {
    return false
  }
  const state = typeof stored === 'object' && 'state' in stored ? stored.state : undefined
  return state !== 'hidden' && state !== 'removed'
}
