import type { RecordState } from '../../../shared/records/fields.js'
import type { FieldReader } from './field-reader.js'

type LifecycleField = 'state' | 'hidden' | 'removed' | 'removedAt' | 'updatedAt'

/** Where a record stands, by what its source says: `state`, or one of the flags `hidden`, `private` and `removed`. */
export function mapLifecycle(fields: FieldReader<LifecycleField>): { state: RecordState; removedAt: string | null } {
  const told = fields.line('state')?.toLowerCase() ?? null
  const hidden = fields.flag('hidden')
  const removed = fields.flag('removed') || told === 'removed'
  if (told !== null && !['published', 'hidden', 'removed'].includes(told)) {
    fields.problem(`state: must be published, hidden or removed, not ${JSON.stringify(told.slice(0, 60))}`)
  }
  if (removed) {
    return { state: 'removed', removedAt: fields.time('removedAt') ?? fields.time('updatedAt') }
  }
  return { state: hidden || told === 'hidden' ? 'hidden' : 'published', removedAt: null }
}
