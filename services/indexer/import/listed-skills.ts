import { isRowKey, valuesByComparableName } from '../../../shared/fields/field-values.js'
import { liesInPrivate } from '../../../shared/fields/map-lifecycle.js'
import {
  folderOf,
  splitFullName,
  splitSkillName,
  toFolder,
  toRepositoryAddress,
} from '../../../shared/fields/web-address.js'
import { comparableName, importNames, knownNames, memberOf, unwrap } from '../../../shared/records/field-names.js'
import { isSkillName } from '../../../shared/records/fields.js'
import type { RecordType } from '../../../shared/records/records.js'
import { groups, listOfPage, membersOf, saysWhich, unwrapRecord, wrappers } from './envelopes.js'
import { mapRecord } from './map-record.js'
import {
  fromSource,
  isDescribed,
  saysRepository,
  sharedMembers,
  skillInRepository,
  withdrawalsOf,
  withEvent,
  withMembersAround,
} from './skill-in-repository.js'
import { isRecord, type Members } from './source.js'

/** What is around a list of skills, and counts for each of them. */
export interface Around {
  /** `owner/repo`; null: no repository is named, and the skills say themselves whose they are. */
  repo: string | null
  shared: Members
}

/** The object around a list of skills, by its members without the list; null: nothing in it counts for them. */
export function aroundOf(members: Members): Around | null {
  const repository = repositoryAround(members)
  const shared = repository === null ? withdrawalsAround(members) : null
  return repository ?? (shared && { repo: null, shared })
}

/**
 * The members of an object, and of the object of its repository, that withdraw all records of a list in it, where it is no
 * record itself: a number is how many of them it counts. Null: nothing in it does.
 */
export function withdrawalsAround(members: Members): Members | null {
  const repository = memberOf(members, ['repository', 'repo'])
  const ofRepository = isRecord(repository) ? withdrawalsAround(repository) : null
  const given = Object.entries(withdrawalsOf(withEvent(members))).filter(
    ([, value]) => typeof value === 'string' || typeof value === 'boolean',
  )
  const own = { ...Object.fromEntries(given), ...(liesInPrivate(members) && { private: true }) }
  const isWithdrawing = Object.keys(own).length > 0 && isWithdrawn('skills', { owner: 'any', repo: 'any', ...own })
  return isWithdrawing ? { ...own, ...ofRepository } : ofRepository
}

/** Whether a record says that it is not published. */
export function isWithdrawn(type: RecordType, record: Members): boolean {
  const mapped = mapRecord(type, record)
  return 'record' in mapped && mapped.record.state !== 'published'
}

/**
 * The repository around a list of skills: `{"repository": "acme/kit", "skills": […]}`.
 *
 * @param around the members of the object with the list, without it
 * @returns null where they name no repository, or one of its skills
 */
function repositoryAround(around: Members): Around | null {
  const members = unwrapRecord(around)
  const mapped = mapRecord('skills', members)
  if (mapped.id === null) {
    return null
  }
  if (mapped.id.includes('@')) {
    // Without a list, the name of such a record would be that of a skill.
    const others = Object.entries(members).filter(([name]) => !importNames.skills.name.includes(comparableName(name)))
    return others.length < Object.keys(members).length ? repositoryAround(Object.fromEntries(others)) : null
  }
  if (!('record' in mapped)) {
    return { repo: mapped.id, shared: sharedMembers(members) }
  }
  const { owner, repo, url, state } = mapped.record
  // An object with its address may withdraw it as well.
  const withdrawn = state === 'published' ? {} : { state }
  return { repo: `${owner}/${repo}`, shared: { ...(url !== null && { url }), ...sharedMembers(members), ...withdrawn } }
}

/**
 * A skill of the list in a repository, with what the repository has for each of its skills. One that names another repository
 * is withdrawn with the object around it, and else stays as it is. An address of the repository alone names no skill.
 */
export function inRepository(skill: Members, { repo, shared }: Around): Members {
  const { id } = mapRecord('skills', skill)
  if (repo === null || (id !== null && id !== repo.toLowerCase())) {
    const isOfIt = repo !== null && id?.startsWith(`${repo.toLowerCase()}@`)
    return withMembersAround(skill, isOfIt ? shared : withdrawalsOf(shared))
  }
  if (id !== null && saysRepository(skill)) {
    return withMembersAround(skill, shared)
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
 * An item of a list of skills as a record: a text is the name of a skill, its folder, its id or its address.
 *
 * @returns null where it is neither
 */
export function listedSkill(item: unknown): Members | null {
  if (typeof item !== 'string') {
    return isRecord(item) ? fromSource(item) : null
  }
  const text = item.trim()
  if (text.includes('://')) {
    const address = toRepositoryAddress(text)
    const folder = address === null ? null : folderOf(address)
    return { url: text, ...(folder && { path: folder }) }
  }
  if (splitSkillName(text) !== null && text.includes('@')) {
    return { full_name: text }
  }
  return text === '' ? null : text.includes('/') ? { path: text } : { name: text, skill: text }
}

/**
 * The records that an object has within: skills that it lists, or records under their names.
 *
 * @returns null for a record itself
 */
export function recordsIn(type: RecordType, object: Members): (Members | null)[] | null {
  const listed = (type === 'skills' ? skillsListedIn(object) : null) ?? answeredIn(type, object)
  if (listed !== null) {
    return listed
  }
  const names = Object.keys(object)
  // A single one may be a record in an object around it.
  const mayBeNames = names.length > 1 || splitFullName(names[0] ?? '') !== null
  const areFields = names.some((name) => knownNames[type].has(comparableName(name)))
  return mayBeNames && !areFields ? recordsByName(type, object) : null
}

/**
 * The records of an answer in the list of another one, as of several searches at once: `{"results": [{"hits": […]}]}`.
 *
 * @returns null for any other object
 */
export function answerWithin(type: RecordType, object: Members): (Members | null)[] | null {
  const records = listedWithin(type, object)
  const isAnswer = records?.length === 0 ? !saysWhich(object) : isIdentified(type, records?.[0] ?? {})
  // A title alone is that of a list, and of no prompt.
  const isOwn = type === 'prompts' ? 'record' in mapRecord(type, object) : isIdentified(type, object)
  return isAnswer && !isOwn ? records : null
}

/** The first list of records of an answer, or of an object in it; null: it has none. */
function listedWithin(type: RecordType, answer: Members): (Members | null)[] | null {
  for (const [given, value] of Object.entries(answer)) {
    const name = comparableName(given)
    const isPage = name === listOfPage && memberOf(answer, ['pageable', 'totalElements', 'page']) !== undefined
    const list = Array.isArray(value) && (membersOf[type].lists.has(name) || isPage) ? value : null
    const grouped = Array.isArray(value) && groups.has(name) ? groupedIn(type, value) : null
    const records = grouped ?? list?.map((item) => (isRecord(item) ? fromSource(unwrapRecord(item)) : null))
    const found = records ?? (isRecord(value) && wrappers.has(name) ? listedWithin(type, value) : null)
    if (found !== null) {
      const withdrawals = withdrawalsAround(answer)
      return withdrawals === null ? found : found.map((record) => record && withMembersAround(record, withdrawals))
    }
  }
  return null
}

/** The records of groups; null: not all of them list any. */
function groupedIn(type: RecordType, list: unknown[]): (Members | null)[] | null {
  const records = list.map((group) => (isRecord(group) ? (recordsIn(type, group) ?? listedWithin(type, group)) : null))
  return records.includes(null) ? null : records.flatMap((each) => each ?? [])
}

/**
 * The records that an answer of GraphQL has under the names of its queries: `{"data": {"a": {…}, "b": null}}`.
 *
 * @returns null for any other object
 */
function answeredIn(type: RecordType, { data, errors, extensions, ...others }: Members): (Members | null)[] | null {
  if (!isRecord(data) || Object.keys(others).length > 0) {
    return null
  }
  const answers = Object.entries(data).flatMap(([name, answer]) =>
    comparableName(name) === 'ratelimit' ? [] : [answer],
  )
  if (!answers.every((answer) => answer === null || isRecord(answer))) {
    return null
  }
  const records = answers.flatMap((answer) => (answer && listOf(type, answer)) ?? [answer])
  return records.some((record) => record !== null && isIdentified(type, record)) ? records : null
}

/** The records of a user or a repository, `{"login": "jane", "organizations": {"nodes": […]}}`; null: none of this type. */
function listOf(type: RecordType, object: Members): (Members | null)[] | null {
  const isRepository = type === 'skills' && isIdentified(type, object)
  return isRepository ? skillsListedIn(object) : nodesOf(memberOf(object, [type]))
}

/** The records of a list, or of a folder, in an answer of GraphQL; null: it is none. */
function nodesOf(given: unknown): (Members | null)[] | null {
  const list = unwrap(given, ['nodes', 'edges', 'entries'])
  return Array.isArray(list) ? list.map((item) => (isRecord(item) ? unwrapRecord(item) : null)) : null
}

/**
 * The skills that a record lists: with a description or a place, in a list or each under its name; or by their names alone,
 * where the record has no description: next to one, they may be words for what it can do.
 *
 * @returns null for any other record
 */
function skillsListedIn(record: Members): (Members | null)[] | null {
  const [name, given] = Object.entries(record).find(([each]) => comparableName(each) === 'skills') ?? inGroups(record)
  const list = isRecord(given) ? (nodesOf(given) ?? listOfNamed('skills', given)) : given
  if (name === undefined || !Array.isArray(list) || list.length === 0) {
    return null
  }
  const { [name]: _list, ...members } = record
  const areNames = list.every((item) => typeof item === 'string')
  const isListed = areNames || isDescribed(list[0])
  if (!isListed && !isRecord(given)) {
    return null
  }
  const around = areNames && isOneSkill(members) ? null : aroundOf(members)
  if (around === null || around.repo === null) {
    // Each under its name, as in a lock file, may say itself whose it is.
    const areIdentified = isRecord(given) && isIdentified('skills', list[0])
    return areIdentified ? list.map((skill) => (around === null ? skill : inRepository(skill, around))) : null
  }
  return isListed ? list.map(listedSkill).map((skill) => skill && inRepository(skill, around)) : null
}

/** The skills in all groups of a record, under the name of their list. */
function inGroups(record: Members): [name: string, skills: unknown[]] | [] {
  const [name, list] = Object.entries(record).find(([each]) => groups.has(comparableName(each))) ?? []
  const lists = Array.isArray(list) ? list.map((group) => (isRecord(group) ? memberOf(group, ['skills']) : null)) : []
  return name !== undefined && lists.every(Array.isArray) ? [name, lists.flat()] : []
}

/**
 * The records of an object that has each under its id, its name or its key in a database: the first says whose it is. One of
 * them may be null, as of what was not found.
 *
 * @returns null for any other object
 */
function recordsByName(type: RecordType, object: Members): (Members | null)[] | null {
  const entries = Object.entries(object)
  const records = listOfNamed(type, Object.fromEntries(entries.filter(([, value]) => value !== null)))?.values()
  const listed = records && entries.map(([, value]) => (value === null ? null : (records.next().value ?? null)))
  return listed && isIdentified(type, listed.find((record) => record !== null) ?? {}) ? listed : null
}

const isIdentified = (type: RecordType, record: Members = {}): boolean => {
  const { id, titleId } = mapRecord(type, record)
  return id !== null || titleId !== undefined
}

/** The members of an object as records with their names; null: not all of them are objects. */
function listOfNamed(type: RecordType, object: Members): Members[] | null {
  const entries = Object.entries(object)
  return entries.every((entry): entry is [string, Members] => isRecord(entry[1]))
    ? entries.map(([name, record]) => underName(type, name, type === 'skills' ? fromSource(record) : record))
    : null
}

/** A record with what its name in the object around it says: an id, or for one without a name of its own, the name. */
function underName(type: RecordType, name: string, record: Members): Members {
  if (isRowKey(name)) {
    return record
  }
  if (type !== 'skills') {
    return isIdentified(type, record) ? record : { [type === 'prompts' ? 'title' : 'login']: name, ...record }
  }
  const { id } = mapRecord(type, record)
  if (splitSkillName(name) !== null) {
    return id === null ? { full_name: name, ...record } : record
  }
  const given = valuesByComparableName(record, importNames.skills)
  if (given('name').length > 0) {
    return record
  }
  const isPlaced = given('skill').length > 0 || given('path').length > 0 || id?.includes('@')
  return { name, ...record, ...(id !== null && !isPlaced && isSkillName(name) && { skill: name }) }
}

function isOneSkill(record: Members): boolean {
  const given = valuesByComparableName(record, importNames.skills)
  return given('description').length > 0 || mapRecord('skills', record).id?.includes('@') === true
}
