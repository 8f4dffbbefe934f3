import { longestDescription, longestLine } from '../../../shared/records/fields.js'
import { skillId } from '../../../shared/records/skill.js'
import { shorten } from '../../../shared/text/clean-text.js'
import { toPublicAddress } from '../../../shared/text/public-address.js'
import type { FieldOf } from './field-names.js'
import type { FieldReader } from './field-reader.js'
import { mapLifecycle } from './map-lifecycle.js'
import { isSegment, repositoryOf, splitFullName } from './web-address.js'

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
    // full_name and nameWithOwner are GitHub's own words; owner and repo alone do not say where a repository is.
    url:
      address === null ? (fullName === null ? null : `https://github.com/${owner}/${repo}`) : toPublicAddress(address),
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
    return fields.problem(
      'it does not say whose it is: it needs owner and repo, or full_name, or the url of its repository',
    )
  }
  for (const [field, value] of Object.entries({ owner, repo })) {
    if (!isSegment(value)) {
      const rule = 'must be 1 to 100 letters, digits, dots, underscores or hyphens'
      return fields.problem(`${field}: ${rule}, not ${JSON.stringify(shorten(value, 60))}`)
    }
  }
  return { owner, repo }
}

function readFormerIds(fields: SkillFields, id: string): string[] {
  const told = fields.first('formerIds') ?? []
  const names = typeof told === 'string' ? told.split(/[,|;]/) : told
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
  return [...ids].slice(0, mostFormerIds)
}
