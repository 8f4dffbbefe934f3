import { longestDescription, segmentRule } from '../../../shared/records/fields.js'
import { shorten } from '../../../shared/text/clean-text.js'
import type { FieldOf } from './field-names.js'
import type { FieldReader } from './field-reader.js'
import { mapLifecycle } from './map-lifecycle.js'
import { isSegment } from './web-address.js'

/** The fields of an organization that a source's record tells; null when it does not tell which one it is. */
export function mapOrganization(
  fields: FieldReader<FieldOf<'organizations'>>,
): ({ login: string } & Record<string, unknown>) | null {
  const login = fields.line('login')?.replace(/^@/, '').toLowerCase() ?? null
  if (login === null) {
    return fields.problem('login: is missing')
  }
  if (!isSegment(login)) {
    return fields.problem(`login: ${segmentRule}, not ${JSON.stringify(shorten(login, 60))}`)
  }
  return {
    login,
    name: fields.publicLine('name', 300),
    description: fields.text('description', longestDescription),
    url: fields.address('url'),
    avatarUrl: fields.address('avatarUrl'),
    createdAt: fields.time('createdAt'),
    updatedAt: fields.time('updatedAt'),
    ...mapLifecycle(fields),
  }
}
