import { longestDescription, longestLine, segmentRule } from '../../../shared/records/fields.js'
import { skillId } from '../../../shared/records/skill.js'
import { shorten } from '../../../shared/text/clean-text.js'
import { splitList } from '../../../shared/text/split-list.js'
import type { FieldOf } from './field-names.js'
import { brief, type FieldReader, type GivenValue } from './field-reader.js'
import { mapLifecycle } from './map-lifecycle.js'
import { forges, isSegment, repositoryOf, splitFullName } from './web-address.js'

/** How many earlier names of a skill are kept. */
const mostFormerIds = 100

type SkillFields = FieldReader<FieldOf<'skills'>>

/** The fields of a skill that a source's record tells; null when it does not tell which skill it is. */
export function mapSkill(fields: SkillFields): ({ id: string } & Record<string, unknown>) | null {
  const address = fields.repositoryAddress('url')
  const fullName = firstFullName(fields.all('fullName'))
  const identity = identify(fields, fullName ?? firstFullName(fields.all('identity')), address)
  if (identity === null) {
    return null
  }
  const { owner, repo } = identity
  const id = skillId(owner, repo)
  fields.drop(...fields.given('fullName').filter(isNoFullName).map(describeNoFullName))
  return {
    id,
    owner,
    repo,
    name: fields.publicLine('name', longestLine) ?? repo,
    description: fields.text('description', longestDescription),
    topics: fields.topics('topics'),
    license: fields.license('license'),
    language: fields.publicLine('language', 100),
    homepage: fields.address('homepage'),
    url: readUrl(fields, address, fullName),
    stars: fields.count('stars'),
    forks: fields.count('forks'),
    version: fields.publicLine('version', 100),
    archived: fields.flag('archived'),
    createdAt: fields.time('createdAt'),
    updatedAt: fields.time('updatedAt'),
    publishedAt: fields.time('publishedAt'),
    indexedAt: null,
    ...mapLifecycle(fields),
    formerIds: readFormerIds(fields, id),
  }
}

interface Identity {
  owner: string
  repo: string
}

const firstFullName = (told: unknown[]): Identity | null =>
  told.map((value) => (typeof value === 'string' ? splitFullName(value) : null)).find((split) => split !== null) ?? null

/** Whose skill it is and what it is called: told as such, or as a full name, or by the repository's address. */
function identify(fields: SkillFields, fullName: Identity | null, address: string | null): Identity | null {
  const whole = fullName ?? (address === null ? null : repositoryOf(address))
  const told = fields.line('repo')
  const split = told === null ? null : splitFullName(told)
  const owner = fields.line('owner')?.replace(/^@/, '') ?? split?.owner ?? whole?.owner ?? null
  const repo = split?.owner === owner ? split.repo : (told ?? whole?.repo ?? fields.line('name'))
  if (owner === null || repo === null) {
    return refuseIdentity(fields)
  }
  for (const [field, value] of Object.entries({ owner, repo })) {
    if (!isSegment(value)) {
      return fields.problem(`${field}: ${segmentRule}, not ${JSON.stringify(shorten(value, 60))}`)
    }
  }
  return { owner, repo }
}

/** Notes what is wrong with the values that could have named owner and repository. */
function refuseIdentity(fields: SkillFields): null {
  const addressRule = `must be the address of an owner/repo at ${[...forges].join(', ')}`
  const wrong = [
    ...fields.given('fullName').map(describeNoFullName),
    ...fields.given('url').map(({ name, value }) => `${name}: ${addressRule}, not ${brief(value)}`),
  ]
  fields.problem(...wrong)
  return fields.problems.length > 0
    ? null
    : fields.problem('it does not say whose it is: it needs owner and repo, or full_name, or the url of its repository')
}

const isNoFullName = ({ value }: GivenValue): boolean => firstFullName([value]) === null

const describeNoFullName = ({ name, value }: GivenValue): string => `${name}: must be owner/repo, not ${brief(value)}`

function readUrl(fields: SkillFields, address: string | null, fullName: Identity | null): string | null {
  if (address !== null) {
    return fields.publicAddress('url', address)
  }
  for (const { name, value } of fields.given('url').filter(isNoFullName)) {
    fields.drop(`${name}: must be an http or https address, not ${brief(value)}`)
  }
  // full_name and nameWithOwner are GitHub's own words; owner and repo alone do not say where a repository is.
  return fullName === null ? null : `https://github.com/${fullName.owner}/${fullName.repo}`
}

function readFormerIds(fields: SkillFields, id: string): string[] {
  const told = fields.first('formerIds') ?? []
  const names = typeof told === 'string' ? splitList(told) : told
  if (!Array.isArray(names)) {
    fields.problem('formerIds: must be a list of owner/repo')
    return []
  }
  const ids = new Set<string>()
  for (const name of names) {
    const former = typeof name === 'string' ? splitFullName(name) : null
    if (former === null) {
      fields.problem(`formerIds: must be a list of owner/repo, not ${JSON.stringify(name)?.slice(0, 60)}`)
    } else if (skillId(former.owner, former.repo) !== id) {
      ids.add(skillId(former.owner, former.repo))
    }
  }
  if (ids.size > mostFormerIds) {
    fields.drop(`formerIds: ${ids.size - mostFormerIds} of the list: at most ${mostFormerIds} are kept`)
  }
  return [...ids].slice(0, mostFormerIds)
}
