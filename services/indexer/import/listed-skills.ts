import { valuesByComparableName } from '../../../shared/fields/field-values.js'
import { toFolder } from '../../../shared/fields/web-address.js'
import { comparableName, type FieldOf, importNames } from '../../../shared/records/field-names.js'
import { isSkillName } from '../../../shared/records/fields.js'
import { mapRecord } from './map-record.js'
import { sharedMembers, skillInRepository } from './skill-in-repository.js'
import { isRecord } from './source.js'

type Members = Record<string, unknown>

/** A repository around a list of skills. */
export interface RepositoryAround {
  /** `owner/repo` */
  repo: string
  shared: Members
}

/**
 * The repository around a list of skills: `{"repository": "acme/kit", "skills": […]}`.
 *
 * @param members those of the object with the list, without it
 * @returns null where they name no repository, or one of its skills
 */
export function repositoryAround(members: Members): RepositoryAround | null {
  const mapped = mapRecord('skills', members)
  if (mapped.id === null || mapped.id.includes('@')) {
    return null
  }
  const repo = 'record' in mapped ? `${mapped.record.owner}/${mapped.record.repo}` : mapped.id
  return { repo, shared: sharedMembers(members) }
}

/** A skill of the list in a repository. One that names a repository itself stays as it is. */
export function inRepository(skill: Members, { repo, shared }: RepositoryAround): Members {
  if (mapRecord('skills', skill).id !== null) {
    return skill
  }
  const record = skillInRepository(skill, repo, shared)
  const given = valuesByComparableName(record, importNames.skills)
  const folders = given('path').filter(({ value }) => typeof value === 'string' && toFolder(value) !== '')
  const isNamed = [...given('skill'), ...folders].length > 0 || given('repo').length > 1
  const ids = given('identity').filter(({ value }) => typeof value === 'string' && isSkillName(value))
  const [name] = isNamed ? [] : [...ids, ...given('name')]
  return name === undefined ? record : { ...record, skill: name.value }
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
