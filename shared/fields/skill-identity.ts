import { holdsAddress } from '../privacy/personal-addresses.js'
import { comparableName, unwrap } from '../records/field-names.js'
import { isSegment, isSkillName, maxCharacters, segmentRule } from '../records/fields.js'
import { skillId } from '../records/skill.js'
import { cleanLine, inText, shorten } from '../text/clean-text.js'
import { brief } from './field-reader.js'
import { type GivenValue, isNoValue, isRowKey, lineIn } from './field-values.js'
import { describeNoFullName, firstFullName, mayBeFullName, type SkillFields, splitRepo } from './full-names.js'
import {
  folderOf,
  forges,
  gitEnding,
  isPathOf,
  nameOf,
  type RepositoryName,
  repositoryOf,
  type SkillPlace,
  showsSkill,
  toFolder,
  toSkillName,
} from './web-address.js'

interface Identity {
  id: string | null
  owner: unknown
  repo: unknown
  skill: string | null
  path: string | null
}

/**
 * Owner and repository of a skill: from fields of their own, else from a full name, else from the repository's address.
 * Without an id they are what the input has in their place, for the schema to reject.
 */
export function identify(
  fields: SkillFields,
  fullName: SkillPlace | null,
  address: string | null,
  isDocument: boolean,
): Identity {
  const shown = fullName ?? (address === null ? null : repositoryOf(address))
  const owned = (isDocument ? undefined : ownerIn(fields)) ?? fields.line('owner')?.replace(/^@/, '')
  const hasOwnerAlone = owned !== undefined && shown === null && !isDocument && fields.given('repo').every(isSlug)
  const bare = hasOwnerAlone ? bareRepository(fields) : null
  const named = { owner: owned, repo: (bare ?? fields.line('repo'))?.replace(gitEnding, '') }
  const written = !isDocument && hasSlugAlone(fields, named.owner, shown) ? { ...named, repo: shown?.repo } : named
  const split = written.repo === undefined ? null : splitRepo(written.repo)
  // A document that changes its owner or repository is to be noticed.
  const isWhole = split !== null || isDocument
  const { owner: ofOwner = null, repo: given = null } = isWhole ? written : withoutOdd(fields, written, shown)
  const known = ofOwner ?? split?.owner ?? null
  const whole = shown ?? (address === null || known === null ? firstFullName(fields.all('source')) : null)
  const owner = known ?? whole?.owner ?? null
  const repo =
    split !== null && split.owner.toLowerCase() === owner?.toLowerCase()
      ? split.repo
      : (given ?? whole?.repo ?? fields.line('name'))
  if (owner === null || repo === null) {
    noteMissingIdentity(fields)
    const given = { owner: owner ?? fields.first('owner'), repo: repo ?? fields.first('repo') }
    return { id: null, ...given, skill: null, path: null }
  }
  for (const [field, value] of Object.entries({ owner, repo })) {
    if (!isSegment(value)) {
      fields.problem(`${field}: ${segmentRule}, not ${JSON.stringify(shorten(value, 60))}`)
    }
  }
  const place = placeOf(fields, { owner, repo }, { split, whole, address, isDocument })
  return { id: isSegment(owner) && isSegment(repo) ? skillId(owner, repo, place.skill) : null, owner, repo, ...place }
}

/** The first of its owners that may be the name of one, and is no key of a database; undefined: there is none. */
const ownerIn = (fields: SkillFields): string | undefined =>
  fields
    .all('owner')
    .map((value) => lineIn(value)?.replace(/^@/, '') ?? '')
    .find((name) => isSegment(name) && !isRowKey(name))

/** The name of a repository without its owner, under a name that has both in other records; null: there is none. */
const bareRepository = (fields: SkillFields): string | null =>
  fields
    .given('identity')
    .flatMap(({ name, value }) => (comparableName(name) === 'repository' ? [cleanLine(inText(value)) ?? ''] : []))
    .find(isSegment) ?? null

/**
 * Owner and repository as written, without one that can be none where the other agrees with what names both, and without an
 * owner alone that contradicts it.
 */
function withoutOdd(
  fields: SkillFields,
  written: { owner: string | undefined; repo: string | undefined },
  shown: RepositoryName | null,
): Partial<typeof written> {
  const isOther = (['owner', 'repo'] as const).some((field) => {
    const text = written[field]
    return text !== undefined && isSegment(text) && text.toLowerCase() !== shown?.[field].toLowerCase()
  })
  // What has the name of the repository has its owner as well.
  if (shown !== null && isOther && written.repo === undefined) {
    fields.drop(`owner: must be that of ${shown.owner}/${shown.repo}, not ${brief(written.owner)}`)
    return {}
  }
  if (shown === null || isOther) {
    return written
  }
  const odd = Object.entries(written).filter(([, text]) => text !== undefined && !isSegment(text))
  fields.drop(...odd.map(([field, text]) => `${field}: ${segmentRule}, not ${brief(text)}`))
  return Object.fromEntries(Object.entries(written).filter(([, text]) => text !== undefined && isSegment(text)))
}

/** What an input says of where a skill lies, besides its fields for that. */
interface Sources {
  /** `owner/repo` in the place of a repository's name. */
  split: SkillPlace | null
  /** What names owner and repository together. */
  whole: (RepositoryName & Partial<SkillPlace>) | null
  /** The address of its repository, or of a folder or file in it. */
  address: string | null
  /** A document keeps its id: only what says so itself makes it one of several skills. */
  isDocument: boolean
}

/**
 * Which of the skills of its repository it is, and its folder there. One whose SKILL.md lies in the root of its repository is
 * the repository's own under any name.
 */
function placeOf(
  fields: SkillFields,
  { owner, repo }: RepositoryName,
  { split, whole, address, isDocument }: Sources,
): { skill: string | null; path: string | null } {
  const path = readPath(fields) ?? (isDocument ? null : directoryOf(fields, { owner, repo }))
  const given = fields.all('skill').flatMap((value) => skillIn(value) ?? [])
  const odd = fields.given('skill').filter(({ value }) => typeof value === 'object')
  fields.drop(...odd.map(({ name, value }) => `${name}: must be the name of a skill, not ${brief(value)}`))
  const explicit = given[0] ?? split?.skill ?? whole?.skill ?? null
  // An address may show the folder of all skills.
  const shown = address === null ? null : folderOf(address)
  const folder = shown ? toSkillName(nameOf(shown)) : null
  if (explicit !== null || isDocument || saysFullName(fields, 'id')) {
    const known = path ?? (isDocument || folder === null || folder !== explicit ? null : shown)
    return { skill: path === '' ? null : explicit, path: known }
  }
  const own = toSkillName(repo)
  const [first, ...others] = fields.given('repo')
  // Without another name of the repository, a slug may be that of the repository itself.
  const ofRepo = [own, ...(whole === null ? [] : [toSkillName(`${whole.owner}-${repo}`)])]
  const isOfRepo = first !== undefined && isSlug(first) && ofRepo.includes(toSkillName(inText(first.value)))
  const isOwn = (given: GivenValue): boolean => isSlug(given) && !isComposed(given, { owner, repo }, path ?? shown)
  const slug = first === undefined || isOfRepo ? undefined : [first, ...others].find(isOwn)
  const name = inText(slug?.value ?? fields.first('name') ?? '')
  const named = isSkillName(name) ? name : null
  const isCertain = named !== own && showsSkill(address ?? '', shown ?? '')
  const place = path || (folder !== null && (isCertain || toSkillName(name) === folder) ? shown : null)
  if (place) {
    return { skill: named ?? toSkillName(nameOf(place)), path: place }
  }
  const isInOther = split !== null || slug !== undefined || folder !== null || saysFullName(fields, 'repository')
  const isOne = named !== null && named !== own && isInOther
  // Registries write an empty path where they know none.
  return isOne ? { skill: named, path: shown || null } : { skill: null, path }
}

/** Whether a text under this name is `owner/repo`: as an id, that of a catalog; as the repository, that of a registry's row. */
const saysFullName = (fields: SkillFields, named: 'id' | 'repository'): boolean =>
  fields.given('identity').some((given) => comparableName(given.name) === named && mayBeFullName(given))

/** Whether a slug is not the name of the repository: a full name or an address shows one of the same owner. */
const hasSlugAlone = (fields: SkillFields, owner: string | undefined, shown: RepositoryName | null): boolean =>
  shown !== null &&
  (owner ?? shown.owner).toLowerCase() === shown.owner.toLowerCase() &&
  fields.given('repo').every(isSlug)

const isSlug = ({ name }: GivenValue): boolean => comparableName(name) === 'slug'

/** Whether a slug has the names of owner, repository and folder, with which a registry makes it unique: the last is the skill's. */
function isComposed({ value }: GivenValue, { owner, repo }: RepositoryName, folder: string | null): boolean {
  const [slug, prefix, name] = [inText(value), `${owner}-${repo}`, nameOf(folder ?? '')].map(toSkillName)
  return Boolean(name && slug?.startsWith(`${prefix}-`) && slug.endsWith(`-${name}`))
}

/** The name of a skill in a value that may also be the number or key of a row. */
function skillIn(value: unknown): string | null {
  const text = typeof value === 'string' ? cleanLine(value) : null
  return text === null || isNoValue(text) || isRowKey(text) ? null : toSkillName(text)
}

/** The name of a skill as its field has it: of `PDF Reader` the skill is `pdf-reader`. Null: the field has another one, or none. */
export function writtenSkill(fields: SkillFields, skill: string | null): string | null {
  const text = typeof fields.first('skill') === 'string' ? fields.publicLine('skill', maxCharacters.name) : null
  return toSkillName(text ?? '') === skill ? text : null
}

function readPath(fields: SkillFields): string | null {
  for (const { name, value } of fields.given('path')) {
    if (!/^(?:skill)?path$/.test(comparableName(name)) && !saysFolder(value)) {
      continue
    }
    const folder = typeof value === 'string' ? toFolder(cleanLine(value) ?? '') : null
    if (folder !== null && !holdsAddress(folder)) {
      return folder
    }
    fields.drop(`${name}: must be a folder of the repository such as skills/pdf, not ${brief(value)}`)
  }
  return null
}

/** Whether a value under a name that may mean other things is a folder of a repository, or a SKILL.md in one. */
const saysFolder = (value: unknown): boolean =>
  typeof value === 'string' &&
  /^(?![/~]|[a-z]:)\S/i.test(value.trim()) &&
  (/SKILL\.md$/i.test(value) || !/\.\w+$|\s\S/.test(value.trim()))

/**
 * The folder that the object of a repository names next to its address: npm's `directory`, `subfolder` of MCP's registry, or a
 * `path` that is not its own.
 */
function directoryOf(fields: SkillFields, { owner, repo }: RepositoryName): string | null {
  const repository = fields.all('url').find((value) => typeof value === 'object')
  const folder = unwrap(repository, ['directory', 'subfolder']) ?? null
  const path = typeof folder === 'string' ? folder : unwrap(repository, ['path'])
  const isFolder = typeof folder === 'string' || (saysFolder(path) && !isPathOf(inText(path), `${owner}/${repo}`))
  return typeof path === 'string' && isFolder ? toFolder(cleanLine(path) ?? '') : null
}

/** Notes what is wrong with the values that could have named owner and repository. */
function noteMissingIdentity(fields: SkillFields): void {
  const nameless = fields.first('owner') === undefined ? fields.given('repo') : []
  const nameRule = 'may be a title, so write it as full_name if it is owner/repo'
  const addressRule = `must be the address of an owner/repo at ${[...forges].join(', ')}`
  const wrong = [
    ...fields.given('fullName').map(describeNoFullName),
    ...nameless
      .filter((given) => typeof given.value === 'string' && !isSlug(given))
      .map(({ name, value }) => `${name}: must be owner/repo without an owner next to it, not ${brief(value)}`),
    ...fields.given('url').map(({ name, value }) => `${name}: ${addressRule}, not ${brief(value)}`),
    ...fields
      .given('name')
      .filter(mayBeFullName)
      .map(({ name, value }) => `${name}: ${brief(value)} ${nameRule}`),
    ...fields.refused.values(),
  ]
  fields.problem(...wrong)
  if (wrong.length === 0) {
    fields.problem('it does not say whose it is: it needs owner and repo, or full_name, or the url of its repository')
  }
}
