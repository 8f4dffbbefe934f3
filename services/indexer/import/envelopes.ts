import { repositoryOf, splitFullName, toRepositoryAddress } from '../../../shared/fields/web-address.js'
import { comparableName, importNames, memberOf, namesOf } from '../../../shared/records/field-names.js'
import type { RecordType } from '../../../shared/records/records.js'
import { parseJson } from '../../../shared/runtime/http-answers.js'
import {
  isNamedSkill,
  sharedMembers,
  skillInRepository,
  withdrawalsOf,
  withEvent,
  withFolder,
  withFrontMatter,
  withMembersAround,
  withRepository,
  withText,
} from './skill-in-repository.js'
import { isRecord, type Members } from './source.js'
import { fromTyped } from './typed-values.js'

/** Members that hold records of a type, and members that a record of it has and an envelope has not. */
interface AnswerNames {
  lists: ReadonlySet<string>
  identities: ReadonlySet<string>
}

const lists =
  'data items results records objects nodes edges hits responses result list docs documents rows entries values value itemlistelement graph hydramember'.split(
    ' ',
  )

/** How services answer with records: in a list under one of these names. */
export const membersOf: Record<RecordType, AnswerNames> = {
  skills: {
    lists: new Set([...lists, 'skills', 'servers', 'packages', 'repositories', 'repos', 'member']),
    identities: new Set(['fullname', 'namewithowner', 'repo', 'reponame', 'repositoryname', 'htmlurl', 'githuburl']),
  },
  prompts: {
    lists: new Set([...lists, 'prompts', 'systemprompts', 'agents', 'custommodes', 'member']),
    identities: new Set(['content', 'prompt', 'text', 'act']),
  },
  organizations: {
    lists: new Set([...lists, 'organizations', 'orgs', 'owners', 'users']),
    identities: new Set(['login', 'avatarurl']),
  },
}

/** Whether a member of a document is the list of an answer. A document with a name is a server, and has packages itself. */
export const isListOfAnswer = (type: RecordType, name: string, hasName: boolean): boolean =>
  membersOf[type].lists.has(name) && !(hasName && name === 'packages')

/** Names of lists by type: a list of another type is not taken for a second list of this one. */
export const listsOfAnyType: ReadonlySet<string> = new Set(
  Object.values(membersOf).flatMap((members) => [...members.lists]),
)

/** Objects of an answer in which the list is, or another object with it: `data.search.edges`. */
export const wrappers: ReadonlySet<string> = new Set([
  ...['data', 'd', 'result', 'results', 'response', 'payload', 'body', 'hits', 'embedded', 'search'],
  ...['skills', 'prompts', 'organizations', 'repositories'],
])

/** Names of lists of groups, each with its list of records; and of the list in a page of Spring. */
export const groups: ReadonlySet<string> = new Set(['categories', 'subcategories', 'groups', 'sections', 'collections'])
export const listOfPage = 'content'

/** Whether an object has a member that may be the list of an answer, or hold it, or may have records under their names. */
export const mayBeAnswer = (record: Members, type: RecordType): boolean =>
  Object.values(record).every((value) => value === null || isRecord(value)) ||
  Object.entries(record).some(
    ([name, value]) =>
      (Array.isArray(value) && mayHoldRecords(type, comparableName(name))) ||
      (isRecord(value) && wrappers.has(comparableName(name))),
  )

const mayHoldRecords = (type: RecordType, name: string): boolean =>
  membersOf[type].lists.has(name) || groups.has(name) || name === listOfPage

const identities: ReadonlySet<string> = new Set(Object.values(membersOf).flatMap((members) => [...members.identities]))

/** Members of a record that is not whole in another one of its members. */
export const fullNames: ReadonlySet<string> = new Set(['fullname', 'namewithowner'])
export const anyIdentities = new Set([...identities, ...['id', 'name', 'title', 'slug', 'owner', 'url']])

/** Names of what says which record of any type it is. A list next to one is a part of the record. */
const sayWhich = new Set([
  ...anyIdentities,
  ...namesOf('skills', 'owner', 'repo', 'fullName', 'skill', 'identity', 'source', 'url'),
  ...namesOf('prompts', 'content'),
  ...namesOf('organizations', 'login'),
])

/** Whether an object says which record of any type it is. */
export const saysWhich = (object: object): boolean =>
  Object.keys(object).some((name) => sayWhich.has(comparableName(name)))

/** The record that Airbyte copies, in some destinations as JSON text. */
const airbyteData = '_airbyte_data'

/** The members of an event of EventBridge, and of a line of a log. */
const ofEvents = ['detail', 'message']

/** The members of an item that may be its record, and names of texts next to it by which the item itself is one. */
const inners = [
  ...named(identities, 'node', '_source', 'doc', 'attributes', 'fields', 'row', 'skill', 'properties'),
  ...named(identities, ...ofEvents),
  // An address may be an object too; with its full name it is a whole repository.
  ...named(fullNames, 'repository', 'repo', 'github'),
  ...named(anyIdentities, 'server', 'package', 'prompt', 'item', 'record', 'document', 'data', airbyteData),
  // A message of Kafka.
  ...named(anyIdentities, 'payload', 'value'),
  // An item of n8n, and a package of PyPI.
  ...named(anyIdentities, 'json', 'info'),
]

function named(own: ReadonlySet<string>, ...names: string[]) {
  return names.map((name) => ({ name, own }))
}

/** The maximum number of objects around a record within its item. */
const maxLevels = 3

/**
 * The record of an item, which some services wrap: `{"node": {…}}`. An item that has a name is a skill in the repository
 * next to it, as in the answers of GitHub's search in code.
 */
export function unwrapRecord(given: Members, levels = maxLevels): Members {
  const item = withText(withFrontMatter(fromTyped(nodeIn(given) ?? given)))
  const skill = skillNextTo(item)
  if (skill !== null) {
    return skill
  }
  const names = new Map(Object.keys(item).map((name) => [name.toLowerCase(), name]))
  const innerNamed = (name: string) => {
    const value = item[names.get(name) ?? name]
    return name === airbyteData && typeof value === 'string' ? parseJson(value) : value
  }
  // A CloudEvent has an id of its own.
  const isEvent = typeof item['specversion'] === 'string' && isRecord(item['data'])
  // The columns of a row of Airtable, next to its key.
  const isRow =
    isRecord(item['fields']) && 'createdTime' in item && saysWhich(item['fields']) && !hasText(item, identities)
  const found = isRow
    ? 'fields'
    : inners.find(({ name, own }) => isInner(name, innerNamed(name)) && (isEvent || !hasText(item, own)))?.name
  const inner = found && names.get(found)
  const members = found === undefined ? null : innerNamed(found)
  if (inner === undefined || !isRecord(members) || levels === 0) {
    const repository = ['repository', 'github'].map(innerNamed).find(isRecord)
    return repository === undefined ? item : withRepository(item, repository)
  }
  const { [inner]: _members, ...others } = item
  // What else an event says is about itself.
  const rest = isEvent || ofEvents.includes(found ?? '') ? withdrawalsOf(withEvent(others)) : withEvent(others)
  const fullName = isRepository(found) ? fullNameOf(members, found) : undefined
  const repo = isNamedSkill(rest) ? fullName : undefined
  // Events of GitHub have the full name in the place of the name.
  const withFullName = { full_name: fullName, ...(members['name'] === fullName && { name: null }) }
  // As Strapi has one in its attributes.
  const draft = found === 'attributes' && members['publishedAt'] === null ? { draft: true } : {}
  return repo === undefined
    ? unwrapRecord(withMembersAround({ ...members, ...draft, ...(fullName && withFullName) }, rest), levels - 1)
    : skillInRepository(
        withFolder(rest, members, repo),
        repo,
        sharedMembers({ ...(found === 'github' && addressAt(repo)), ...members }),
      )
}

/** A node of Neo4j, which is alone under the name of a variable; null: it is none. */
function nodeIn(item: Members): Members | null {
  const [node, ...others] = Object.values(item)
  const isNode = others.length === 0 && isRecord(node) && Array.isArray(node['labels']) && isRecord(node['properties'])
  return isNode ? node : null
}

const addressAt = (fullName: string): Members => ({ html_url: `https://github.com/${fullName}` })

/**
 * The skill in an object next to the names of its repository, `{"repo": "acme/kit", "skill": {"name": "pdf", …}}`; null: there
 * is none, or the item has a name or a description itself.
 */
function skillNextTo(item: Members): Members | null {
  const skill = memberOf(item, ['skill'])
  const name = isRecord(skill) ? memberOf(skill, ['slug', 'name', 'id']) : undefined
  if (!isRecord(skill) || typeof name !== 'string' || memberOf(item, ['name', 'title', 'description']) !== undefined) {
    return null
  }
  const [owner, repo] = [memberOf(item, ['owner']), memberOf(item, ['repo'])]
  const fullName = textOf(item, fullNames) ?? (typeof owner === 'string' ? `${owner}/${repo}` : repo)
  return typeof fullName === 'string' && splitFullName(fullName) !== null
    ? { skill: name, ...skillInRepository(skill, fullName, sharedMembers(item)) }
    : null
}

const isInner = (name: string, value: unknown): boolean =>
  isRecord(value) &&
  // Elasticsearch has the id of a document outside of it.
  (name === '_source' ||
    // A message of Airbyte.
    (name === 'record' && 'stream' in value && isRecord(value['data'])) ||
    (isRepository(name) ? fullNameOf(value, name) !== undefined : hasText(value, anyIdentities)))

/**
 * The full name of a repository: its own, or from the name of its owner and its own; of a `repo` also from its address. As
 * `repository` an object with an address alone is that of npm, next to the name of a package.
 */
function fullNameOf(repository: Members, as = ''): string | undefined {
  const [owner, name] = [memberOf(repository, ['owner']), memberOf(repository, ['repo', 'name'])]
  const login = isRecord(owner) ? memberOf(owner, ['login', 'username']) : owner
  const full = textOf(repository, fullNames) ?? (typeof name === 'string' && splitFullName(name) ? name : undefined)
  const address = as === 'repo' ? toRepositoryAddress(String(memberOf(repository, importNames.skills.url))) : null
  const shown = address === null ? null : repositoryOf(address)
  return (
    full ??
    (typeof login === 'string' && typeof name === 'string'
      ? `${login}/${name}`
      : shown === null
        ? undefined
        : `${shown.owner}/${shown.repo}`)
  )
}

const isRepository = (name = ''): boolean => ['repository', 'repo', 'github'].includes(name)

/** Whether a record has a text under one of these names. */
export const hasText = (record: Members, names: ReadonlySet<string>): boolean => textOf(record, names) !== undefined

function textOf(record: Members, names: ReadonlySet<string>): string | undefined {
  for (const [name, value] of Object.entries(record)) {
    if (typeof value === 'string' && names.has(comparableName(name))) {
      return value
    }
  }
  return undefined
}

/** Where a list of records is looked for, in words. */
export const listsThatAreRead =
  'Records are read from a list "items", "data", "results", "records" or one with the name of their --type'

/** The names that lead to the first list within objects of which this is an item; null: there is none. */
export function listWithin(value: unknown, isItem: (item: unknown) => boolean = isRecord): string[] | null {
  for (const [name, member] of isRecord(value) ? Object.entries(value) : []) {
    const within = Array.isArray(member) && isItem(member[0]) ? [] : listWithin(member, isItem)
    if (within !== null) {
      return [name, ...within]
    }
  }
  return null
}
