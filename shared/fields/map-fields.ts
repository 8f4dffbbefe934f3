import { findHandle } from '../privacy/personal-addresses.js'
import type { FieldOf } from '../records/field-names.js'
import { isSegment, maxCharacters, maxFormerIds, segmentRule } from '../records/fields.js'
import type { RecordType, StoredRecords } from '../records/records.js'
import { storedSchemas } from '../records/schemas.js'
import { skillId } from '../records/skill.js'
import { cleanLine, inText, shorten, visibleText } from '../text/clean-text.js'
import { promptId, promptIdentity, publicPromptId } from '../text/prompt-id.js'
import { splitList } from '../text/values-in-text.js'
import { brief, FieldReader, inLanguage } from './field-reader.js'
import { type FieldValues, type GivenValue, isNoValue, isRowKey, lineIn, type MappedFields } from './field-values.js'
import {
  describeNoFullName,
  firstFullName,
  fullNameIn,
  home,
  installedBy,
  isNoAddress,
  repositoryAddressOf,
  type SkillFields,
} from './full-names.js'
import { mapLifecycle, saysPublished } from './map-lifecycle.js'
import { textOfMessages } from './prompt-messages.js'
import { identify, writtenSkill } from './skill-identity.js'
import { type RepositoryName, type SkillPlace, splitFullName, splitSkillName } from './web-address.js'

/** @param key identifies the skill where no field does, see `mapFields` */
function mapSkill(fields: SkillFields, key: unknown): MappedFields {
  const isDocument = key !== undefined
  const address = repositoryAddressOf(fields, isDocument)
  const fullName = firstFullName(fields.all('fullName'))
  const named =
    fullName === null || (fullName.skill === null && !isDocument)
      ? firstFullName([...fields.all('identity'), key])
      : null
  const { id, owner, repo, skill, path } = identify(
    fields,
    skillIn(fullName, named) ??
      fullName ??
      named ??
      installedBy(fields, address) ??
      (isDocument ? null : fullNameIn(fields, address)),
    address,
    isDocument,
  )
  if (id !== null) {
    fields.drop(...fields.given('fullName').filter(isNoAddress).map(describeNoFullName))
  }
  const name = fields.publicLine('name', maxCharacters.name)
  const description = fields.text('description', maxCharacters.description)
  const ofRepository = skill === null ? fields.text('repositoryDescription', maxCharacters.description) : null
  const mapped = {
    id,
    owner,
    repo,
    // A search in code has the name of the file.
    name: [name, writtenSkill(fields, skill), skill, repo].find((text) => text !== null && text !== 'SKILL.md') ?? null,
    description: description ?? ofRepository,
    topics: fields.topics('topics'),
    license: fields.license('license') ?? fields.license('version', ['license', 'licence']),
    language: fields.publicTerm('language', maxCharacters.language),
    homepage: fields.address('homepage') ?? fields.address('links', home),
    url: readUrl(fields, address, fullName, repo),
    stars: fields.count('stars') ?? fields.count('stats', ['stars', 'stargazers', 'stargazersCount']),
    forks: fields.count('forks') ?? fields.count('stats', ['forks', 'forksCount']),
    version: fields.publicTerm('version', maxCharacters.version),
    archived: fields.flag('archived') ?? false,
    createdAt: fields.time('createdAt'),
    updatedAt: fields.time('updatedAt'),
    publishedAt: fields.time('publishedAt'),
    indexedAt: null,
    skill,
    path,
    commit: readDigits(fields, 'commit', /^(?:[\da-f]{40}|[\da-f]{64})$/i, 'the 40 or 64 digits of a commit'),
    digest: readDigits(fields, 'digest', /^sha256:[\da-f]{64}$/i, 'sha256: and 64 hexadecimal digits'),
    ...mapLifecycle(
      fields,
      (['url', 'repo', 'identity'] as const)
        .flatMap((field) => fields.given(field))
        .filter(isOfRepository)
        .map(({ value }) => value),
    ),
    formerIds: readFormerIds(fields, id),
  }
  return { id, fields: mapped }
}

/** The skill that an id names in the repository of a full name; null: it names none, or one of another, or a version. */
const skillIn = (fullName: SkillPlace | null, named: SkillPlace | null): SkillPlace | null => {
  const isName = named?.skill != null && !/^v?\d/.test(named.skill) && !isRowKey(named.skill)
  return fullName !== null && isName && skillId(fullName.owner, fullName.repo) === skillId(named.owner, named.repo)
    ? named
    : null
}

/** Whether a value may be the object of a repository, and not one of links. */
const isOfRepository = ({ name }: GivenValue): boolean => /repo|github/i.test(name)

function readDigits(fields: SkillFields, field: 'commit' | 'digest', form: RegExp, rule: string): string | null {
  const text = fields.term(field)
  if (text !== null && !form.test(text)) {
    fields.drop(`${field}: must be ${rule}, not ${brief(text)}`)
    return null
  }
  return text?.toLowerCase() ?? null
}

function readUrl(
  fields: SkillFields,
  address: string | null,
  fullName: RepositoryName | null,
  repo: unknown,
): string | null {
  if (address !== null) {
    return fields.publicAddress('url', address)
  }
  const odd = fields
    .given('url')
    .filter((given) => isNoAddress(given) && typeof given.value !== 'object' && given.value !== repo)
  fields.drop(...odd.map(({ name, value }) => `${name}: must be an http or https address, not ${brief(value)}`))
  // full_name and nameWithOwner are GitHub's own words; owner and repo alone do not say where a repository is.
  return fullName === null ? null : `https://github.com/${fullName.owner}/${fullName.repo}`
}

function readFormerIds(fields: SkillFields, id: string | null): string[] {
  const given = fields.known('formerIds') ?? []
  const ids = new Set<string>()
  for (const name of typeof given === 'string' ? splitList(given) : [given].flat()) {
    const former = typeof name === 'string' ? splitSkillName(visibleText(name)) : null
    if (former === null) {
      fields.drop(`formerIds: must be a list of owner/repo or owner/repo@skill, not ${brief(name)}`)
    } else {
      ids.add(skillId(former.owner, former.repo, former.skill))
    }
  }
  ids.delete(id ?? '')
  if (ids.size > maxFormerIds) {
    fields.drop(`formerIds: ${ids.size - maxFormerIds} of the list: at most ${maxFormerIds} are kept`)
  }
  return [...ids].slice(0, maxFormerIds)
}

type OrganizationFields = FieldReader<FieldOf<'organizations'>>

/** @param key identifies the organization where no field does, see `mapFields` */
function mapOrganization(fields: OrganizationFields, key: unknown): MappedFields {
  const login = readLogin(fields, key)
  const isLogin = login !== null && isSegment(login)
  if (!isLogin) {
    fields.problem(
      login === null ? 'login: is missing' : `login: ${segmentRule}, not ${JSON.stringify(shorten(login, 60))}`,
    )
  }
  const fullName = fields.publicLine('otherName', maxCharacters.organizationName)
  if (fullName !== null && splitFullName(fullName) !== null) {
    const [given] = fields.given('otherName')
    fields.problem(`${given?.name}: must be the name of an organization, not of a repository: ${brief(fullName)}`)
  }
  const name = fields.publicLine('name', maxCharacters.organizationName)
  const mapped = {
    login,
    // Some services have the login in the place of the name.
    name: name === null || name.toLowerCase() === login ? (fullName ?? name) : name,
    description: fields.text('description', maxCharacters.description),
    url: fields.address('url'),
    avatarUrl: fields.address('avatarUrl'),
    createdAt: fields.time('createdAt'),
    updatedAt: fields.time('updatedAt'),
    ...mapLifecycle(fields, fields.all('repository')),
  }
  return { id: isLogin ? login : null, fields: mapped }
}

/** The login of an organization: the first of its own that can be one, else a key that is text, else its name, else any key. */
function readLogin(fields: OrganizationFields, key: unknown): string | null {
  const own = fields.all('login').flatMap((value) => toLogin(lineIn(value)) ?? [])
  const login = own.find(isSegment) ?? fields.line('login')
  const other = login ?? (typeof key === 'string' ? cleanLine(key) : fields.line('name'))
  return toLogin(other ?? (key === undefined ? null : cleanLine(inText(key))))
}

/** A login, also in the address of its page at GitHub. */
const toLogin = (text: string | null | undefined): string | null =>
  text
    ?.replace(/^(?:@|(?:https?:\/\/)?(?:www\.)?github\.com\/(?:orgs\/)?(?=[^/]+\/?$))/i, '')
    .replace(/(?<=[^/])\/$/, '')
    .toLowerCase() ?? null

type PromptFields = FieldReader<FieldOf<'prompts'>>

/** @param key identifies the prompt where no field does, see `mapFields` */
function mapPrompt(fields: PromptFields, key: unknown): MappedFields {
  const content = fields.wholeText('content', maxCharacters.promptContent)
  const author = readAuthor(fields)
  const { id, titleId } = identifyPrompt(fields, key, { author, content })
  const mapped = {
    id,
    title: fields.publicLine('title', maxCharacters.promptTitle),
    description: fields.text('description', maxCharacters.description),
    content,
    type: fields.publicTerm('type', maxCharacters.promptType)?.toLowerCase() ?? 'text',
    topics: fields.topics('topics'),
    author,
    url: fields.address('url'),
    license: fields.license('license'),
    createdAt: fields.time('createdAt'),
    updatedAt: fields.time('updatedAt'),
    ...mapLifecycle(fields, fields.all('repository')),
  }
  return { id, titleId, fields: mapped }
}

/** The values of a prompt, with its texts in one of the languages that an object has, and its messages as one text. */
const inOneLanguage =
  (given: FieldValues<string>): FieldValues<string> =>
  (field) =>
    field === 'title'
      ? given(field).map(({ name, value }) => ({ name, value: inLanguage(value) }))
      : field === 'content'
        ? given(field).map(({ name, value }) => ({ name, value: textOfMessages(inLanguage(value)) }))
        : given(field)

/** The id of a prompt: its own, else the key, else one of its title and author or content: titles are not unique. */
function identifyPrompt(
  fields: PromptFields,
  key: unknown,
  prompt: Parameters<typeof promptIdentity>[0],
): { id: string | null; titleId?: string } {
  const id = fields.term('id') ?? (key === undefined ? null : cleanLine(inText(key)))
  if (id !== null) {
    return { id: publicPromptId(id) }
  }
  const title = fields.line('title')
  if (title === null) {
    return { id: fields.problem(fields.refused.get('title') ?? 'title: is missing') }
  }
  const identity = promptIdentity(prompt)
  return { id: identity === null ? null : promptId(title, identity), titleId: promptId(title) }
}

function readAuthor(fields: PromptFields): string | null {
  const authors = fields.given('author').filter(({ value }) => !isNoValue(value))
  const author = findHandle(authors.map(({ value }) => value))
  const [given] = authors
  if (author === null && given !== undefined) {
    fields.drop(`${given.name}: must be a user's name without spaces, and no e-mail address, not ${brief(given.value)}`)
  }
  return author
}

/** The fields of a record, and what the reader noted about their values. */
export interface ReadFields extends MappedFields, Pick<FieldReader<string>, 'problems' | 'refused' | 'dropped'> {
  /** Whether the input itself says that the record is published. */
  hasState: boolean
}

/**
 * Reads the fields of a record of any input: of an import, or a document of another application. Never throws; the same
 * input gives the same.
 *
 * @param given finds the values of a field
 * @param key identifies the record where no field does: a document's `_id`; undefined for none
 */
export function mapFields(type: RecordType, given: FieldValues<string>, key?: unknown): ReadFields {
  const fields = new FieldReader(type === 'prompts' ? inOneLanguage(given) : given)
  const mapped = mappers[type](fields, key)
  const { problems, refused, dropped } = fields
  return { ...mapped, problems, refused, dropped, hasState: saysPublished(given) }
}

const mappers = { skills: mapSkill, prompts: mapPrompt, organizations: mapOrganization }

/**
 * Checks the fields that were read of a record: it is stored, or rejected for all of these faults, in words for the operator
 * who is to repair it.
 */
export function checkFields<T extends RecordType>(
  type: T,
  { id, titleId, fields, problems, refused }: ReadFields,
): { record: StoredRecords[T] } | { reason: string } {
  const parsed = storedSchemas[type].safeParse(fields)
  if (parsed.success && problems.length === 0) {
    return { record: parsed.data as StoredRecords[T] }
  }
  const issues = (parsed.error?.issues ?? [])
    // Without an identity the problems say what is missing of it.
    .filter(({ path: [name] }) => id !== null || (titleId === undefined ? refused.has(String(name)) : name !== 'id'))
    .map(
      ({ path, code, message }) =>
        refused.get(String(path[0])) ??
        // Mapped fields have their types, so that an invalid type can only be an absent value.
        `${path.join('.')}: ${code === 'invalid_type' ? 'is missing' : message}`,
    )
  return { reason: [...new Set([...problems, ...issues])].join('; ') }
}
