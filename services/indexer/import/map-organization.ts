import { PathSegment } from '../../../shared/records/fields.js'
import type { FieldOf } from './field-names.js'
import { type FieldReader, longestDescription } from './field-reader.js'
import { mapLifecycle } from './map-lifecycle.js'

/** The fields of an organization that a source's record tells; null when it does not tell which one it is. */
export function mapOrganization(
  fields: FieldReader<FieldOf<'organizations'>>,
): ({ login: string } & Record<string, unknown>) | null {
  const login = fields.line('login')?.replace(/^@/, '').toLowerCase() ?? null
  if (login === null) {
    return fields.problem('login: must be told')
  }
  const segment = PathSegment.safeParse(login)
  if (!segment.success) {
    return fields.problem(`login: ${segment.error.issues[0]?.message}, not ${JSON.stringify(login.slice(0, 60))}`)
  }
  return {
    login,
    name: fields.line('name', 300),
    description: fields.text('description', longestDescription),
    url: fields.address('url'),
    avatarUrl: fields.address('avatarUrl'),
    createdAt: fields.time('createdAt'),
    updatedAt: fields.time('updatedAt'),
    ...mapLifecycle(fields),
  }
}
