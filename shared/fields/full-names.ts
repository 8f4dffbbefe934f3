import { type FieldOf, unwrap } from '../records/field-names.js'
import { skillId } from '../records/skill.js'
import { cleanLine, visibleText } from '../text/clean-text.js'
import { brief, type FieldReader } from './field-reader.js'
import { type GivenValue, isNoValue } from './field-values.js'
import {
  namesInAddress,
  repositoryOf,
  type SkillPlace,
  splitFullName,
  splitSkillName,
  toRepositoryAddress,
} from './web-address.js'

/** Reads the fields of a skill. */
export type SkillFields = FieldReader<FieldOf<'skills'>>

/** The address of the repository, which many sources have in the place of its name; else another address of the skill. */
export function repositoryAddressOf(fields: SkillFields, isDocument: boolean): string | null {
  const shown = fields.repositoryAddress('url')
  if (shown !== null && repositoryOf(shown) !== null) {
    return shown
  }
  const places = [
    fields.line('repo'),
    ...(['fullName', 'identity', 'source'] as const).flatMap((field) => fields.all(field)),
  ]
  return (
    places.map(repositoryIn).find((address) => address !== null) ?? (isDocument ? null : homeAtForge(fields)) ?? shown
  )
}

/** Members of an object of links with the address of a home. */
export const home = ['homepage', 'home', 'website']

/** The home page of a record, where that is a repository and nothing else says which one it is; null: it is none. */
function homeAtForge(fields: SkillFields): string | null {
  const isNamed = (['owner', 'repo', 'fullName', 'identity', 'install', 'source', 'skill'] as const).some((field) =>
    fields.given(field).some(({ name }) => name !== 'id'),
  )
  const homes = isNamed ? [] : [...fields.all('homepage'), ...fields.all('links').map((links) => unwrap(links, home))]
  const address = homes.map(repositoryIn).find((each) => each !== null)
  return address?.replace(/#.*$/s, '') ?? null
}

/** The address of a repository in the place of its name; null: there is none. */
function repositoryIn(value: unknown): string | null {
  // Nearly all names have none of these.
  const address = typeof value === 'string' && /[:.]/.test(value) ? toRepositoryAddress(cleanLine(value) ?? '') : null
  return address !== null && repositoryOf(address) !== null ? address : null
}

/** Owner and repository, perhaps with a skill, in the place of a repository's name. */
export function splitRepo(text: string): SkillPlace | null {
  const address = repositoryIn(text)
  const named = address === null ? null : repositoryOf(address)
  return named === null ? splitSkillName(text) : { ...named, skill: null }
}

/** The first of these values that names a repository, or a skill in one. */
export const firstFullName = (values: unknown[]): SkillPlace | null =>
  values
    .map((value) => (typeof value === 'string' ? splitSkillName(visibleText(value)) : null))
    .find((place) => place !== null) ?? null

/** The skill in the line that installs it, or in its address; null: none, or its address is that of another repository. */
export function installedBy(fields: SkillFields, address: string | null): SkillPlace | null {
  const known = address === null ? null : repositoryOf(address)
  const lines = [...fields.all('install'), known === null ? address : null].filter((line) => typeof line === 'string')
  const place = firstFullName(lines.map(namesInAddress))
  const isOther =
    known !== null && skillId(known.owner, known.repo, null) !== (place && skillId(place.owner, place.repo, null))
  return isOther ? null : place
}

/**
 * Owner and repository in the name of a record that has the owner, or an address with both, as well: a title may have a slash,
 * too. Null: there are none, or it names a repository otherwise.
 */
export function fullNameIn(fields: SkillFields, address: string | null): SkillPlace | null {
  const place = firstFullName(fields.all('name'))
  if (place === null || fields.given('repo').length > 0 || (address !== null && repositoryOf(address) !== null)) {
    return null
  }
  const path = address === null ? '' : new URL(address).pathname.slice(1)
  const isKnown = [fields.line('owner')?.replace(/^@/, ''), path].some((given) =>
    [place.owner, `${place.owner}/${place.repo}`].includes(given ?? ''),
  )
  return isKnown ? place : null
}

/** Whether a value is neither a full name, nor an address, nor a word for none. */
export const isNoAddress = ({ value }: GivenValue): boolean =>
  firstFullName([value]) === null && repositoryIn(value) === null && !isNoValue(value)

/** Why a value is not read as a full name. */
export const describeNoFullName = ({ name, value }: GivenValue): string =>
  `${name}: must be owner/repo, not ${brief(value)}`

/** Whether a name may be owner and repository, but see `fullNameIn`. */
export const mayBeFullName = ({ value }: GivenValue): boolean =>
  typeof value === 'string' && splitFullName(value) !== null
