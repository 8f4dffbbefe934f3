import { comparableName } from '../../../shared/records/field-names.js'
import type { RecordType } from '../../../shared/records/records.js'
import { publicSchemas } from '../../../shared/records/schemas.js'

/** Fields that the exports of earlier versions lack. */
const laterFields = new Set(['skill', 'path', 'commit', 'digest'])

/** Whether these are the names of all public fields, as in an export, or in a record that another program has made from one. */
export function areOfExport(type: RecordType, names: readonly string[]): boolean {
  const given = new Set(names.map(comparableName))
  return Object.keys(publicSchemas[type].shape).every(
    (name) => given.has(comparableName(name)) || laterFields.has(name),
  )
}
