import { publicSchemas, type RecordType } from '../../../shared/records/records.js'
import { type MappedRecord, mapRecord } from '../import/map-record.js'
import { isRecord } from '../import/source.js'

/**
 * A public record of the source as an import would store it, or the reason of its rejection. Only public fields are read,
 * so that a source cannot set others. A skill whose id does not match its owner and repository is rejected: it would be
 * listed under one address and served under another.
 */
export function mapSourceRecord<T extends RecordType>(type: T, value: unknown): MappedRecord<T> {
  if (!isRecord(value)) {
    return { id: null, reason: 'is not a JSON object' }
  }
  const fields = Object.keys(publicSchemas[type].shape).filter((name) => Object.hasOwn(value, name))
  const mapped = mapRecord(type, Object.fromEntries(fields.map((name) => [name, value[name]])))
  const { id } = value
  if (type === 'skills' && mapped.id !== null && mapped.id !== id) {
    return { id: null, reason: `id: is ${JSON.stringify(id)?.slice(0, 100)}, but it must be ${mapped.id}` }
  }
  return mapped
}
