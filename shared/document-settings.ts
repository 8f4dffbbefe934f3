import { z } from 'zod'
import { type RecordType, recordTypes } from './records/records.js'

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

const names = z
  .union(
    [
      z
        .string()
        .min(1)
        .transform((name) => [name]),
      z.array(z.string().min(1)).min(1),
    ],
    {
      error: 'must be the name of a field, or a list of names of which the first that holds something counts',
    },
  )
  .optional()

const namesOf = (type: RecordType) =>
  z.strictObject(Object.fromEntries(Object.keys(defaultFieldNames[type]).map((field) => [field, names]))).optional()

/** Field names as an operator writes them: a JSON object by type and field; what it leaves out keeps its default. */
export const FieldNamesText = z.string().transform((text, context): FieldNames => {
  const given = parseJson(text)
  if (given === undefined) {
    context.addIssue('is not JSON')
    return z.NEVER
  }
  const parsed = z.strictObject(Object.fromEntries(recordTypes.map((type) => [type, namesOf(type)]))).safeParse(given)
  if (!parsed.success) {
    for (const { path, message } of parsed.error.issues) {
      context.addIssue(path.length === 0 ? message : `${path.join('.')}: ${message}`)
    }
    return z.NEVER
  }
  return {
    skills: withDefaults('skills'),
    prompts: withDefaults('prompts'),
    organizations: withDefaults('organizations'),
  }

  function withDefaults<T extends RecordType>(type: T): FieldNames[T] {
    const own = Object.entries(parsed.data?.[type] ?? {}).filter(([, value]) => value !== undefined)
    return { ...defaultFieldNames[type], ...Object.fromEntries(own) }
  }
})

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
