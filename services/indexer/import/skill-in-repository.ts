import { isUtf8 } from 'node:buffer'
import { isDraft, valuesByComparableName } from '../../../shared/fields/field-values.js'
import { changeSays } from '../../../shared/fields/lifecycle-words.js'
import { liesInPrivate } from '../../../shared/fields/map-lifecycle.js'
import { isPathOf, splitFullName } from '../../../shared/fields/web-address.js'
import {
  comparableName,
  type FieldOf,
  importNames,
  knownNames,
  lifecycleObjects,
  memberOf,
  namesOf,
} from '../../../shared/records/field-names.js'
import { lifecycleFields } from '../../../shared/records/lifecycle-names.js'
import { isRecord, type Members } from './source.js'

/** Names of what says which repository it is, but for `slug`, which is that of a skill. */
const identities = new Set([...namesOf('skills', 'owner', 'repo', 'fullName')].filter((name) => name !== 'slug'))

/** Names of what a repository does not share with its skills. */
const notShared = new Set([
  ...namesOf('skills', 'owner', 'repo', 'fullName', 'identity', 'source', 'name', 'description', 'version'),
  ...namesOf('skills', 'formerIds', 'skill', 'path', 'digest', 'skillMd', 'files'),
])

/** Names of what says which skill of a repository it is. */
const ownNames = new Set([...namesOf('skills', 'name', 'skill', 'path'), 'slug'])

/** Whether an object next to its repository is one of several skills, and not only around it. */
export const isNamedSkill = (item: Members): boolean =>
  Object.entries(item).some(([name, value]) => typeof value === 'string' && ownNames.has(comparableName(name)))

/** Names of what may withdraw a record. */
const withdrawals = new Set([...namesOf('skills', ...lifecycleFields), ...lifecycleObjects])

/** The other fields that it may share with them, with their names. */
const sharedFields = Object.entries<readonly string[]>(importNames.skills).map(
  ([field, names]): [field: FieldOf<'skills'>, names: string[]] => [
    field as FieldOf<'skills'>,
    names.filter((name) => !notShared.has(name) && !withdrawals.has(name)),
  ],
)

const membersNamed = (members: Members, isNamed: (comparable: string) => boolean): Members =>
  Object.fromEntries(Object.entries(members).filter(([name]) => isNamed(comparableName(name))))

/** Whether an object says which repository it is by more than an address. */
export const saysRepository = (item: Members): boolean =>
  Object.keys(item).some((name) => identities.has(comparableName(name)))

/** The members of a repository that count for each of its skills, such as stars, licence and state. */
export const sharedMembers = (repository: Members): Members =>
  membersNamed(
    repository,
    (name) => (knownNames.skills.has(name) || lifecycleObjects.has(name)) && !notShared.has(name),
  )

/** Those of them that may withdraw a record. */
export const withdrawalsOf = (shared: Members): Members => membersNamed(shared, (name) => withdrawals.has(name))

/** Names of what the author of a skill says in the front matter of its SKILL.md, and what a registry repeats of that. */
const ofAuthor = namesOf('skills', 'name', 'description', 'topics', 'license', 'language', 'version', 'homepage')

/** A record with what the front matter of its SKILL.md says, as crawlers keep it in an object, where it has none of its own. */
export function withFrontMatter(record: Members): Members {
  const frontMatter = record['frontmatter'] ?? record['frontMatter'] ?? record['front_matter']
  return isRecord(frontMatter)
    ? withMembersAround(
        record,
        membersNamed(frontMatter, (name) => ofAuthor.has(name)),
      )
    : record
}

/** A SKILL.md as the API of GitHub, Gitea or Gitee answers one file, with its text in Base64, under the name of a text. */
export function withText(record: Members): Members {
  if (record['encoding'] !== 'base64' || record['name'] !== 'SKILL.md' || typeof record['content'] !== 'string') {
    return record
  }
  const { content, encoding: _encoding, name: _name, ...rest } = record
  const bytes = Buffer.from(String(content), 'base64')
  return isUtf8(bytes) ? { ...rest, skill_md: bytes.toString() } : rest
}

/** A record with what the object of its repository says, such as stars and licence, where it has none of its own. */
export function withRepository(record: Members, repository: Members): Members {
  const shared = membersNamed(sharedMembers(repository), (name) => !withdrawals.has(name))
  return Object.keys(shared).length === 0 ? record : withMembersAround(record, shared)
}

/** Names of what has happened to the record in an event. In a record itself they have other meanings. */
const events = ['type', 'action', 'operation', 'event', 'eventType', 'eventName']

/** The members around a record, or a list of them, which withdraw it where they, or their metadata, are the event of its removal. */
export const withEvent = (around: Members): Members =>
  [around, around['metadata']].some(
    (members) => isRecord(members) && events.some((name) => changeSays(memberOf(members, [name])) === 'removed'),
  )
    ? { ...around, deleted: true }
    : around

/**
 * A skill as a record of its own.
 *
 * @param repo `owner/repo`
 * @param shared see `sharedMembers`
 */
export function skillInRepository(skill: Members, repo: string, shared: Members): Members {
  // Registries write an empty path where they know none.
  const own = Object.entries(skill).filter(([name, value]) => value !== '' && !identities.has(comparableName(name)))
  return { ...withMembersAround(Object.fromEntries(own), shared), repo }
}

/** A skill with the folder that the object of its repository names, where it names none itself. */
export function withFolder(skill: Members, repository: Members, repo: string): Members {
  const folder = firstText(repository, folders)
  const isOwn = memberOf(skill, importNames.skills.path) !== undefined
  return folder === null || isOwn || isPathOf(folder, repo) ? skill : { ...skill, directory: folder }
}

/** Names of the folder and of the commit in a `source`. */
const folders = ['path', 'subpath', 'subdir', 'directory', 'subfolder']
const commits = ['commit', 'commitSha', 'sha']

/**
 * A skill whose `source` is an object with its repository and its folder there, as in lists of skills of many providers. Such
 * a list numbers or names its skills in its own way: an id of two names is none of a repository.
 */
export function fromSource(record: Members): Members {
  const source = memberOf(record, ['source'])
  const named = isRecord(source) && !saysRepository(record) ? firstText(source, ['repo', 'repository', 'url']) : null
  const owner = isRecord(source) ? firstText(source, ['owner']) : null
  const repo = named !== null && owner !== null && !named.includes('/') ? `${owner}/${named}` : named
  if (!isRecord(source) || repo === null) {
    return record
  }
  const id = memberOf(record, ['id'])
  const rest = membersNamed(record, (name) => name !== 'source' && name !== 'id')
  const path = firstText(source, folders)
  const commit = firstText(source, commits)
  return {
    ...rest,
    ...(id !== undefined && (path === null || typeof id !== 'string' || !id.includes('/')) && { id }),
    // Its key is left out with its id, and what else its source says of itself.
    ...((isDraft(record) || liesInPrivate({ source })) && { draft: true }),
    repo,
    ...(path !== null && { path }),
    ...(commit !== null && { commit }),
  }
}

const firstText = (members: Members, names: string[]): string | null =>
  (names.map((name) => memberOf(members, [name])).find((value) => typeof value === 'string' && value !== '') as
    | string
    | null) ?? null

/**
 * A record with the members of an object around it that it lacks. Those that it has as well go into its `_meta`, since they
 * may withdraw it. Of a field that a repository shares with its skills it lacks nothing where it has a value under another
 * name.
 */
export function withMembersAround(record: Members, around: Members): Members {
  const has = valuesByComparableName(record, importNames.skills)
  const own = new Set(sharedFields.flatMap(([field, names]) => (has(field).length > 0 ? names : [])))
  const given = Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null))
  const lacked = membersNamed(around, (name) => !own.has(name))
  const repeated = Object.entries(lacked).filter(([name]) => Object.hasOwn(given, name))
  const meta = repeated.length === 0 ? {} : { _meta: { of: record['_meta'], around: Object.fromEntries(repeated) } }
  return { ...lacked, ...given, ...meta }
}

/**
 * A project of GitLab's API under the names of a repository: its `path` is no folder, and its `namespace` no owner; so are those
 * of Gitee and GitCode. A project in a group within a group has more than one, and no name here.
 */
export function fromGitlab(record: Members): Members {
  const { path_with_namespace: fullName, path: _path, namespace: _namespace, ...rest } = record
  if (typeof fullName !== 'string') {
    return typeof record['human_name'] === 'string' ? rest : record
  }
  const { name, last_activity_at: updatedAt, ...others } = rest
  const named = splitFullName(fullName) === null ? {} : { full_name: fullName, name }
  return { ...others, ...named, pushed_at: updatedAt }
}

/** Whether a skill in a list says what it is, by a description or a place next to its name. */
export function isDescribed(skill: unknown): boolean {
  if (!isRecord(skill)) {
    return false
  }
  const given = valuesByComparableName(skill, importNames.skills)
  const has = (...fields: FieldOf<'skills'>[]): boolean => fields.some((field) => given(field).length > 0)
  return has('name', 'skill', 'path', 'identity', 'repo') && has('description', 'path', 'url', 'skillMd')
}
