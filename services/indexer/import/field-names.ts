import type { RecordType } from '../../../shared/records/records.js'

/**
 * Where each field of ours is looked for in a source's record, best first: the first name that holds something wins.
 * Names are compared without case, `_`, `-`, blanks and dots: `stargazersCount` is also `stargazers_count`.
 *
 * What a record holds under none of its names is kept with it, out of the public's sight.
 */
const fieldNames = {
  skills: {
    owner: ['owner', 'ownerLogin', 'namespace'],
    repo: ['repo', 'repoName', 'repositoryName', 'slug'],
    fullName: ['fullName', 'nameWithOwner'],
    identity: ['id', 'repository'],
    name: ['name', 'displayName', 'title'],
    description: ['description', 'summary'],
    topics: ['topics', 'tags', 'keywords'],
    license: ['license', 'licence', 'licenseInfo', 'spdxId'],
    language: ['language', 'primaryLanguage'],
    homepage: ['homepage', 'homepageUrl', 'website'],
    url: ['htmlUrl', 'repositoryUrl', 'repoUrl', 'githubUrl', 'repository', 'url', 'link'],
    stars: ['stars', 'stargazersCount', 'stargazerCount', 'stargazers', 'starCount'],
    forks: ['forksCount', 'forkCount', 'forks'],
    version: ['version', 'latestVersion', 'tagName'],
    archived: ['archived', 'isArchived'],
    createdAt: ['createdAt', 'created'],
    updatedAt: ['pushedAt', 'updatedAt', 'updated', 'lastUpdated', 'modifiedAt'],
    publishedAt: ['publishedAt', 'published', 'releasedAt'],
    indexedAt: ['indexedAt'],
    formerIds: ['formerIds', 'formerNames', 'renamedFrom'],
    ...lifecycleNames(),
  },
  prompts: {
    id: ['id', 'slug'],
    title: ['title', 'act', 'name'],
    description: ['description', 'summary'],
    content: ['content', 'prompt', 'text', 'body'],
    type: ['type'],
    topics: ['topics', 'tags', 'keywords'],
    author: ['author', 'contributor', 'contributors', 'creator', 'username', 'user'],
    url: ['htmlUrl', 'url', 'link'],
    license: ['license', 'licence', 'spdxId'],
    createdAt: ['createdAt', 'created'],
    updatedAt: ['updatedAt', 'updated', 'lastUpdated', 'modifiedAt'],
    ...lifecycleNames(),
  },
  organizations: {
    login: ['login', 'owner', 'slug', 'username', 'handle', 'name'],
    name: ['name', 'displayName', 'title'],
    description: ['description', 'summary', 'bio'],
    url: ['htmlUrl', 'url', 'website', 'websiteUrl', 'blog', 'homepage'],
    avatarUrl: ['avatarUrl', 'avatar', 'logoUrl', 'logo', 'image'],
    skills: ['skills'],
    stars: ['stars'],
    topTopics: ['topTopics'],
    createdAt: ['createdAt', 'created'],
    updatedAt: ['updatedAt', 'updated', 'lastUpdated', 'modifiedAt'],
    ...lifecycleNames(),
  },
} as const satisfies Record<RecordType, Record<string, readonly string[]>>

/** What every record may say about whether it is to be seen. */
function lifecycleNames() {
  return {
    state: ['state'],
    hidden: ['hidden', 'isHidden', 'private', 'isPrivate'],
    removed: ['removed', 'isRemoved', 'deleted', 'isDeleted'],
    removedAt: ['removedAt', 'deletedAt'],
  } as const
}

const comparableNames = new Map<string, string>()

/** A name as it is compared. */
export function comparableName(name: string): string {
  let comparable = comparableNames.get(name)
  if (comparable === undefined) {
    comparable = name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
    // A source whose names differ from record to record must not fill the memory.
    if (comparableNames.size < 10_000 && name.length <= 100) {
      comparableNames.set(name, comparable)
    }
  }
  return comparable
}

type FieldNames = { [T in RecordType]: Record<keyof (typeof fieldNames)[T], readonly string[]> }

/** The table by comparable names. */
export const readNames: FieldNames = {
  skills: comparable(fieldNames.skills),
  prompts: comparable(fieldNames.prompts),
  organizations: comparable(fieldNames.organizations),
}

/** The fields of each type, as the readers know them. */
export type FieldOf<T extends RecordType> = keyof (typeof fieldNames)[T]

/** Every name, comparable, that a record of this type is read by; our own field's name always is one. */
export const knownNames: Record<RecordType, ReadonlySet<string>> = {
  skills: namesOf(readNames.skills),
  prompts: namesOf(readNames.prompts),
  organizations: namesOf(readNames.organizations),
}

function comparable<Field extends string>(names: Record<Field, readonly string[]>): Record<Field, readonly string[]> {
  const table = Object.entries<readonly string[]>(names).map(([field, list]) => [field, list.map(comparableName)])
  return Object.fromEntries(table) as Record<Field, readonly string[]>
}

function namesOf(table: Record<string, readonly string[]>): Set<string> {
  return new Set(Object.entries(table).flatMap(([field, names]) => [comparableName(field), ...names]))
}
