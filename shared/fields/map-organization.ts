import type { FieldOf } from '../records/field-names.js'
import { isSegment, segmentRule } from '../records/fields.js'
import { maxCharacters } from '../records/limits.js'
import { cleanLine, shorten } from '../text/clean-text.js'
import { inText } from '../text/in-text.js'
import type { FieldReader } from './field-reader.js'
import { mapLifecycle } from './map-lifecycle.js'
import type { MappedFields } from './mapped-fields.js'

type OrganizationFields = FieldReader<FieldOf<'organizations'>>

/** @param key identifies the organization where no field does, see `mapFields` */
export function mapOrganization(fields: OrganizationFields, key: unknown): MappedFields {
  const login = readLogin(fields, key)
  const isLogin = login !== null && isSegment(login)
  if (!isLogin) {
    fields.problem(
      login === null ? 'login: is missing' : `login: ${segmentRule}, not ${JSON.stringify(shorten(login, 60))}`,
    )
  }
  const mapped = {
    login,
    name: fields.publicLine('name', maxCharacters.organizationName),
    description: fields.text('description', maxCharacters.description),
    url: fields.address('url'),
    avatarUrl: fields.address('avatarUrl'),
    createdAt: fields.time('createdAt'),
    updatedAt: fields.time('updatedAt'),
    ...mapLifecycle(fields),
  }
  return { id: isLogin ? login : null, fields: mapped }
}

/** Its login, else a key that is text, else its name, else any key. */
function readLogin(fields: OrganizationFields, key: unknown): string | null {
  const login = fields.line('login') ?? (typeof key === 'string' ? cleanLine(key) : fields.line('name'))
  return (login ?? (key === undefined ? null : cleanLine(inText(key))))?.replace(/^@/, '').toLowerCase() ?? null
}
