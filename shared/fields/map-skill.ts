import type { FieldOf } from '../records/field-names.js'
import { isSegment, segmentRule } from '../records/fields.js'
import { maxCharacters, maxFormerIds } from '../records/limits.js'
import { skillId } from '../records/skill.js'
import { shorten, visibleText } from '../text/clean-text.js'
import { splitList } from '../text/split-list.js'
import { brief, type FieldReader } from './field-reader.js'
import type { GivenValue } from './field-values.js'
import { mapLifecycle } from './map-lifecycle.js'
import type { MappedFields } from './mapped-fields.js'
import { isNoValue } from './plain-value.js'
import { forges, type RepositoryName, repositoryOf, splitFullName } from './web-address.js'

type SkillFields = FieldReader<FieldOf<'skills'>>

/** @param key identifies the skill where no field does, see `mapFields` */
export function mapSkill(fields: SkillFields, key: unknown): MappedFields {
  const address = fields.repositoryAddress('url')
  const fullName = firstFullName(fields.all('fullName'))
  const { id, owner, repo } = identify(fields, fullName ?? firstFullName([...fields.all('identity'), key]), address)
  if (id !== null) {
    fields.drop(...fields.given('fullName').filter(isNoAddress).map(describeNoFullName))
  }
  const mapped = {
    id,
    owner,
    repo,
    name: fields.publicLine('name', maxCharacters.name) ?? repo,
    description: fields.text('description', maxCharacters.description),
    topics: fields.topics('topics'),
    license: fields.license('license'),
    language: fields.publicTerm('language', maxCharacters.language),
    homepage: fields.address('homepage'),
    url: readUrl(fields, address, fullName),
    stars: fields.count('stars') ?? fields.count('stats', ['stars', 'stargazers', 'stargazersCount']),
    forks: fields.count('forks'),
    version: fields.publicTerm('version', maxCharacters.version),
    archived: fields.flag('archived') ?? false,
    createdAt: fields.time('createdAt'),
    updatedAt: fields.time('updatedAt'),
    publishedAt: fields.time('publishedAt'),
    indexedAt: null,
    ...mapLifecycle(fields),
    formerIds: readFormerIds(fields, id),
  }
  return { id, fields: mapped }
}

const firstFullName = (values: unknown[]): RepositoryName | null => {
  for (const value of values) {
    const split = typeof value === 'string' ? splitFullName(visibleText(value)) : null
    if (split !== null) {
      return split
    }
  }
  return null
}

/**
 * Owner and repository of a skill: from fields of their own, else from a full name, else from the repository's address.
 * Without an id they are what the input has in their place, for the schema to reject.
 */
function identify(
  fields: SkillFields,
  fullName: RepositoryName | null,
  address: string | null,
): { id: string | null; owner: unknown; repo: unknown } {
  const whole = fullName ?? (address === null ? firstFullName(fields.all('source')) : repositoryOf(address))
  const given = fields.line('repo')
  const split = given === null ? null : splitFullName(given)
  const owner = fields.line('owner')?.replace(/^@/, '') ?? split?.owner ?? whole?.owner ?? null
  const repo = split !== null && split.owner === owner ? split.repo : (given ?? whole?.repo ?? fields.line('name'))
  if (owner === null || repo === null) {
    noteMissingIdentity(fields)
    return { id: null, owner: owner ?? fields.first('owner'), repo: repo ?? fields.first('repo') }
  }
  for (const [field, value] of [
    ['owner', owner],
    ['repo', repo],
  ] as const) {
    if (!isSegment(value)) {
      fields.problem(`${field}: ${segmentRule}, not ${JSON.stringify(shorten(value, 60))}`)
    }
  }
  return { id: isSegment(owner) && isSegment(repo) ? skillId(owner, repo) : null, owner, repo }
}

/** Notes what is wrong with the values that could have named owner and repository. */
function noteMissingIdentity(fields: SkillFields): void {
  const addressRule = `must be the address of an owner/repo at ${[...forges].join(', ')}`
  const wrong = [
    ...fields.given('fullName').map(describeNoFullName),
    ...fields.given('url').map(({ name, value }) => `${name}: ${addressRule}, not ${brief(value)}`),
    ...fields.refused.values(),
  ]
  fields.problem(...wrong)
  if (wrong.length === 0) {
    fields.problem('it does not say whose it is: it needs owner and repo, or full_name, or the url of its repository')
  }
}

const isNoFullName = ({ value }: GivenValue): boolean => firstFullName([value]) === null

const isNoAddress = (given: GivenValue): boolean => isNoFullName(given) && !isNoValue(given.value)

const describeNoFullName = ({ name, value }: GivenValue): string => `${name}: must be owner/repo, not ${brief(value)}`

function readUrl(fields: SkillFields, address: string | null, fullName: RepositoryName | null): string | null {
  if (address !== null) {
    return fields.publicAddress('url', address)
  }
  for (const { name, value } of fields.given('url').filter(isNoAddress)) {
    if (typeof value === 'object') {
      continue
    }
    fields.drop(`${name}: must be an http or https address, not ${brief(value)}`)
  }
  // full_name and nameWithOwner are GitHub's own words; owner and repo alone do not say where a repository is.
  return fullName === null ? null : `https://github.com/${fullName.owner}/${fullName.repo}`
}

function readFormerIds(fields: SkillFields, id: string | null): string[] {
  const given = fields.known('formerIds') ?? []
  const names = typeof given === 'string' ? splitList(given) : given
  if (!Array.isArray(names)) {
    fields.drop(`formerIds: must be a list of owner/repo, not ${brief(given)}`)
    return []
  }
  const ids = new Set<string>()
  for (const name of names) {
    const former = typeof name === 'string' ? splitFullName(visibleText(name)) : null
    if (former === null) {
      fields.drop(`formerIds: must be a list of owner/repo, not ${brief(name)}`)
    } else if (skillId(former.owner, former.repo) !== id) {
      ids.add(skillId(former.owner, former.repo))
    }
  }
  if (ids.size > maxFormerIds) {
    fields.drop(`formerIds: ${ids.size - maxFormerIds} of the list: at most ${maxFormerIds} are kept`)
  }
  return [...ids].slice(0, maxFormerIds)
}
