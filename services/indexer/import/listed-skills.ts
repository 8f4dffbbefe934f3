import { valuesByComparableName } from '../../../shared/fields/field-values.js'
import { toFolder } from '../../../shared/fields/web-address.js'
import {
  comparableName,
  type FieldOf,
  importNames,
  knownNames,
  lifecycleObjects,
} from '../../../shared/records/field-names.js'
import { isSkillName } from '../../../shared/records/fields.js'
import { withMembersAround } from './envelopes.js'
import { mapRecord } from './map-record.js'
import { isRecord } from './source.js'

type Members = Record<string, unknown>

const namesOf = (fields: FieldOf<'skills'>[]): ReadonlySet<string> =>
  new Set(fields.flatMap((field) => [...importNames.skills[field]]))

/** Names of what says which repository it is. A `slug` is that of a skill, and stays. */
const identities = namesOf(['owner', 'repo', 'fullName'])

/** Names of what a repository does not share with its skills. */
const notShared = new Set([
  ...identities,
  ...namesOf(['identity', 'source', 'name', 'description', 'version', 'formerIds']),
  ...namesOf(['skill', 'path', 'digest', 'skillMd', 'files']),
])

/**
 * What the repository around a list of skills says of each of them: `{"repository": "acme/kit", "skills": […]}`.
 *
 * @param members those of the object with the list, without it
 * @returns null where they name no repository, or one of its skills
 */
export function repositoryAround(members: Members): Members | null {
  const mapped = mapRecord('skills', members)
  if (mapped.id === null || mapped.id.includes('@')) {
    return null
  }
  const shared = Object.entries(members).filter(([name]) => {
    const known = comparableName(name)
    return (knownNames.skills.has(known) || lifecycleObjects.has(known)) && !notShared.has(known)
  })
  const repo = 'record' in mapped ? `${mapped.record.owner}/${mapped.record.repo}` : mapped.id
  return { ...Object.fromEntries(shared), repo }
}

/** A skill of the list in a repository. One that names a repository itself stays as it is. */
export function inRepository(skill: Members, { repo, ...around }: Members): Members {
  if (mapRecord('skills', skill).id !== null) {
    return skill
  }
  const own = Object.fromEntries(
    Object.entries(skill).filter(([name, value]) => {
      const known = comparableName(name)
      // Registries write an empty path where they know none.
      return value !== '' && (known === 'slug' || !identities.has(known))
    }),
  )
  const given = valuesByComparableName(own, importNames.skills)
  const folders = given('path').filter(({ value }) => typeof value === 'string' && toFolder(value) !== '')
  const isNamed = [...given('skill'), ...folders, ...given('repo')].length > 0
  const names = [
    ...given('identity').filter(({ value }) => typeof value === 'string' && isSkillName(value)),
    ...given('name'),
  ]
  const [name] = isNamed ? [] : names
  return { ...withMembersAround(own, around), repo, ...(name && { skill: name.value }) }
}

/**
 * The skills that a record of a repository lists with a description or a place.
 *
 * @returns null for any other record
 */
export function skillsListedIn(record: Members): (Members | null)[] | null {
  const [name, list] = Object.entries(record).find(([each]) => comparableName(each) === 'skills') ?? []
  if (name === undefined || !Array.isArray(list) || !isDescribed(list[0])) {
    return null
  }
  const { [name]: _list, ...members } = record
  const around = repositoryAround(members)
  return around === null ? null : list.map((skill: unknown) => (isRecord(skill) ? inRepository(skill, around) : null))
}

function isDescribed(skill: unknown): boolean {
  if (!isRecord(skill)) {
    return false
  }
  const given = valuesByComparableName(skill, importNames.skills)
  const has = (...fields: FieldOf<'skills'>[]): boolean => fields.some((field) => given(field).length > 0)
  return has('name', 'skill', 'path', 'identity', 'repo') && has('description', 'path', 'url', 'skillMd')
}
