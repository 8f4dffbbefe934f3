import type { RecordType } from '../../records/records.js'

/** What every document may say about whether it is to be seen. */
const lifecycleNames = {
  state: ['state'],
  hidden: ['hidden', 'isHidden', 'is_hidden', 'private', 'isPrivate', 'is_private'],
  removed: ['removed', 'isRemoved', 'is_removed', 'deleted', 'isDeleted', 'is_deleted'],
  removedAt: ['removedAt', 'removed_at', 'deletedAt', 'deleted_at'],
}

const timeNames = {
  createdAt: ['createdAt', 'created_at'],
  updatedAt: ['pushedAt', 'pushed_at', 'updatedAt', 'updated_at'],
}

/**
 * Where each field of ours is looked for in a document that someone else may have written: the first name that holds
 * something wins.
 */
const defaultFieldNames = {
  skills: {
    owner: ['owner', 'ownerLogin', 'owner_login', 'namespace'],
    repo: ['repo', 'repoName', 'repo_name', 'slug'],
    fullName: ['fullName', 'full_name', 'nameWithOwner', 'id', 'repository'],
    name: ['name', 'displayName', 'display_name', 'title'],
    description: ['description', 'summary'],
    topics: ['topics', 'tags', 'keywords'],
    license: ['license', 'licence', 'licenseInfo', 'spdx_id'],
    language: ['language', 'primaryLanguage'],
    homepage: ['homepage', 'homepageUrl', 'website'],
    url: ['htmlUrl', 'html_url', 'repositoryUrl', 'repository_url', 'url'],
    stars: ['stars', 'stargazersCount', 'stargazers_count', 'stargazerCount'],
    forks: ['forksCount', 'forks_count', 'forkCount', 'forks'],
    version: ['version', 'latestVersion', 'latest_version'],
    archived: ['archived', 'isArchived', 'is_archived'],
    publishedAt: ['publishedAt', 'published_at'],
    formerIds: ['formerIds', 'former_ids'],
    ...timeNames,
    ...lifecycleNames,
  },
  prompts: {
    id: ['id', 'slug'],
    title: ['title', 'act', 'name'],
    description: ['description', 'summary'],
    content: ['content', 'prompt', 'text', 'body'],
    type: ['type'],
    topics: ['topics', 'tags', 'keywords'],
    author: ['author', 'contributor'],
    url: ['htmlUrl', 'html_url', 'url', 'link'],
    license: ['license', 'licence', 'spdx_id'],
    ...timeNames,
    ...lifecycleNames,
  },
  organizations: {
    login: ['login', 'owner', 'slug', 'username'],
    name: ['name', 'displayName', 'display_name', 'title'],
    description: ['description', 'summary', 'bio'],
    url: ['htmlUrl', 'html_url', 'url', 'website', 'blog'],
    avatarUrl: ['avatarUrl', 'avatar_url', 'avatar', 'logo'],
    ...timeNames,
    ...lifecycleNames,
  },
} as const satisfies Record<RecordType, Record<string, readonly string[]>>

/** The names by which the fields of each type are read. */
export type FieldNames = { [T in RecordType]: Record<keyof (typeof defaultFieldNames)[T], readonly string[]> }

/** How documents that others write are understood. */
export interface DocumentSettings {
  fields: FieldNames
  /** The field that whoever writes a document sets to the time of writing; looked at to find what they changed. */
  changedField: string
}

export const defaultDocumentSettings: DocumentSettings = { fields: defaultFieldNames, changedField: 'updatedAt' }
