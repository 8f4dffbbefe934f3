import { isRecordState } from '../records/fields.js'
import { shorten } from '../text/clean-text.js'
import { brief, type FieldReader } from './field-reader.js'

type LifecycleField = 'state' | 'hidden' | 'removed' | 'removedAt' | 'updatedAt'

/**
 * Whether a record is shown: by its `state`, or by one of the flags `hidden`, `private` and `removed`.
 *
 * What cannot be understood must not be published by mistake: its text is returned as the state, which no schema accepts.
 */
export function mapLifecycle(fields: FieldReader<LifecycleField>): { state: string; removedAt: string | null } {
  const state = readState(fields)
  const [hidden, removed] = [fields.flag('hidden'), fields.flag('removed')]
  if (removed === true || state === 'removed') {
    return { state: 'removed', removedAt: fields.time('removedAt') ?? fields.time('updatedAt') }
  }
  if (hidden === true || state === 'hidden') {
    return { state: 'hidden', removedAt: null }
  }
  const unclear = (['removed', 'hidden'] as const).find((field) => fields.refused.has(field))
  return { state: unclear === undefined ? state : unclearFlag(fields, unclear), removedAt: null }
}

function readState(fields: FieldReader<LifecycleField>): string {
  const given = fields.first('state') ?? 'published'
  const state = typeof given === 'string' ? given.trim().toLowerCase() : brief(given)
  if (isRecordState(state)) {
    return state
  }
  fields.refused.add('state')
  fields.problem(`state: must be published, hidden or removed, not ${brief(given)}`)
  return shorten(state, 60)
}

function unclearFlag(fields: FieldReader<LifecycleField>, field: 'hidden' | 'removed'): string {
  fields.refused.add('state')
  const [given] = fields.given(field)
  return `${given?.name}: ${brief(given?.value)}`
}
