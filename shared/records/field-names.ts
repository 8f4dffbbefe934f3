import { type LifecycleField, lifecycleNames, lifecyclePrefixes, placeNames } from './lifecycle-names.js'
import { byType, type RecordType } from './records.js'

/** Names that only imports read: a document keeps the id, the address and the times that it has. */
const importOnlyNames = {
  /** Members of objects as columns of a table, down to `version`: `repository.full_name`, `license.spdx_id`. */
  owner: ['ownerName', 'ownerUsername', 'repoOwner', 'repositoryOwner', 'repositoryOwnerLogin'],
  fullName: ['repositoryFullName', 'repositoryNameWithOwner', 'repoFullName'],
  license: [
    ...['licenseExpression', 'licenseSpdxId', 'licenseInfoSpdxId'],
    ...['licenseKey', 'licenseInfoKey', 'licenseName', 'licenseInfoName'],
  ],
  language: ['primaryLanguageName', 'programmingLanguage'],
  stars: ['stargazersTotalCount', 'repositoryStargazersCount', 'repositoryStargazerCount'],
  forks: ['githubForks', 'repoForks'],
  stats: ['metrics'],
  version: ['latestReleaseTagName', 'latestVersionVersion', 'extensionVersion'],
  name: ['extensionName'],
  url: [
    ...['github', 'githubLink', 'gitUrl', 'cloneUrl', 'sshUrl'],
    ...['sourceUrl', 'sourceCode', 'sourceCodeUrl', 'codeUrl', 'projectUrl', 'installUrl'],
    ...['codeRepository', 'sourceCodeUri', 'projectUrls', 'skillUrl', 'skillMdUrl', 'rawUrl', 'fileUrl', 'downloadUrl'],
  ],
  homepage: ['homePage', 'homepageUri'],
  links: ['links', 'projectUrls'],
  identity: ['objectID'],
  topics: ['githubTopics', 'repoTopics', 'tagList', 'categories', 'category'],
  /** Empty, or with another file than a SKILL.md, they say nothing. */
  path: [
    ...['skillDir', 'skillDirectory', 'skillFolder', 'skillFilePath', 'skillMdPath', 'filePath'],
    ...['directory', 'subdirectory', 'subdir', 'subfolder'],
  ],
  install: ['install', 'installCommand', 'installCmd', 'installation'],
  /** A group of GitLab, and columns of tables, which may have an address. */
  login: ['fullPath', 'organizationLogin', 'orgLogin', 'github', 'organization', 'organisation', 'org'],
  organizationName: ['organizationName', 'organisationName', 'orgName', 'organization', 'organisation'],
  description: ['shortDescription', 'desc', 'about', 'tagline', 'longDescription', 'skillDescription'],
  extensionDescription: ['extensionDescription'],
  repositoryDescription: ['repoDescription', 'repositoryDescription'],
  title: ['promptTitle', 'promptName'],
  content: ['promptText', 'promptTemplate', 'template', 'systemPrompt', 'systemRole', 'roleDefinition', 'messages'],
  createdAt: ['createdOn', 'dateCreated'],
  updatedAt: ['updatedOn', 'modifiedOn', 'lastUpdatedAt', 'lastModified', 'dateModified'],
}

const isImportOnly = (name: string): boolean => Object.values(importOnlyNames).some((names) => names.includes(name))

const timeNames = {
  createdAt: ['createdAt', 'created', ...importOnlyNames.createdAt],
  updatedAt: ['pushedAt', 'updatedAt', 'updated', 'lastUpdated', 'modifiedAt', 'date', ...importOnlyNames.updatedAt],
} as const

/** The object of the repository that a record lies in: what withdraws that withdraws the record. */
const repositoryNames = { repository: ['repository', 'repo'] } as const

/**
 * Which input field is which: the names of each field in the records of an import and in the documents of other
 * applications, in order of preference. The first name with a value is read.
 *
 * An import compares names without case, `_`, `-`, blanks and dots: a CSV header may say `Stargazers Count`. In a
 * document a name is spelled as here or with underscores (`stargazers_count`), because MongoDB finds fields by their
 * exact names; `MONGODB_FIELDS` replaces the names of any field.
 */
const fieldNames = {
  skills: {
    owner: ['owner', 'ownerLogin', 'ownerHandle', 'namespace', ...importOnlyNames.owner],
    repo: ['repo', 'repoName', 'repositoryName', 'slug'],
    fullName: ['fullName', 'nameWithOwner', ...importOnlyNames.fullName],
    /** Which of the skills of a repository. */
    skill: ['skill', 'skillName', 'skillId'],
    path: ['path', 'skillPath', ...importOnlyNames.path],
    commit: ['commit', 'commitSha'],
    digest: ['digest'],
    /** The text of its SKILL.md. */
    skillMd: ['skillMd'],
    /** A list of the files with it. */
    files: ['files'],
    /** May be `owner/repo` as well, but need not: GitHub's `id` is a number. */
    identity: ['id', 'repository', ...importOnlyNames.identity],
    /** The line that installs it, which names its repository and perhaps the skill. */
    install: importOnlyNames.install,
    /** Read as `identity` is, where there is no address either. */
    source: ['source'],
    name: ['name', 'displayName', 'title', ...importOnlyNames.name],
    description: ['description', 'summary', ...importOnlyNames.description, ...importOnlyNames.extensionDescription],
    /** Read where the repository is the skill. */
    repositoryDescription: importOnlyNames.repositoryDescription,
    topics: ['topics', 'repositoryTopics', 'tags', 'keywords', ...importOnlyNames.topics],
    license: ['license', 'licence', 'licenseInfo', 'spdxId', 'licenses', ...importOnlyNames.license],
    language: ['language', 'primaryLanguage', ...importOnlyNames.language],
    homepage: ['homepage', 'homepageUrl', 'website', 'websiteUrl', ...importOnlyNames.homepage],
    /** Objects with an address of its home, as those of npm and PyPI. */
    links: importOnlyNames.links,
    url: [
      ...['htmlUrl', 'repositoryUrl', 'repoUrl', 'githubUrl', 'webUrl', 'repository', 'url', 'link', 'links'],
      ...importOnlyNames.url,
    ],
    stars: [
      ...['stars', 'stargazersCount', 'stargazerCount', 'stargazers', 'starCount', 'starsCount'],
      ...['githubStars', 'repoStars', 'externalStars', ...importOnlyNames.stars],
    ],
    /** An object with such numbers. */
    stats: ['stats', 'statistics', ...importOnlyNames.stats],
    forks: ['forksCount', 'forkCount', 'forks', 'externalForks', ...importOnlyNames.forks],
    version: ['version', 'latestVersion', 'latestRelease', 'tagName', ...importOnlyNames.version],
    archived: ['archived', 'isArchived'],
    publishedAt: ['publishedAt', 'published', 'releasedAt'],
    formerIds: ['formerIds', 'formerNames', 'renamedFrom'],
    place: placeNames,
    ...timeNames,
    ...lifecycleNames,
  },
  prompts: {
    id: ['id', 'slug', ...importOnlyNames.identity],
    title: ['title', 'act', 'name', ...importOnlyNames.title],
    description: ['description', 'summary', ...importOnlyNames.description],
    content: ['content', 'prompt', 'text', 'body', ...importOnlyNames.content],
    type: ['type'],
    topics: ['topics', 'tags', 'keywords'],
    author: ['author', 'contributor', 'contributors', 'creator', 'username', 'user'],
    url: ['htmlUrl', 'url', 'link'],
    license: ['license', 'licence', 'spdxId'],
    ...repositoryNames,
    place: placeNames,
    ...timeNames,
    ...lifecycleNames,
  },
  organizations: {
    login: ['login', 'owner', 'slug', 'username', 'handle', ...importOnlyNames.login],
    name: ['name', 'displayName', 'title', ...importOnlyNames.organizationName],
    /** Read where the name is the login. */
    otherName: ['fullName'],
    description: ['description', 'summary', 'bio', ...importOnlyNames.description],
    url: ['htmlUrl', 'webUrl', 'url', 'website', 'websiteUrl', 'blog', 'homepage', 'github'],
    avatarUrl: ['avatarUrl', 'avatar', 'logoUrl', 'logo', 'image'],
    ...repositoryNames,
    place: placeNames,
    ...timeNames,
    ...lifecycleNames,
  },
} as const satisfies Record<RecordType, Record<string, readonly string[]>>

/** Fields that the catalog computes, in its answers and files: their input is neither read nor kept. */
const computedFields: Record<RecordType, readonly string[]> = {
  skills: ['indexedAt', 'number', 'organization'],
  prompts: [],
  organizations: ['skills', 'stars', 'topTopics'],
}

/** The fields that are read from the input of each type. */
export type FieldOf<T extends RecordType> = keyof (typeof fieldNames)[T]

/** The names of each field, in order of preference. */
export type FieldNames = { [T in RecordType]: Record<FieldOf<T>, readonly string[]> }

const comparableNames = new Map<string, string>()

/** A name as an import compares it. */
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

/** The first of these members that an object has, with names compared as those of a record; undefined: it has none. */
export function memberOf(object: object, names: readonly string[]): unknown {
  const members = Object.entries(object)
  for (const name of names.map(comparableName)) {
    for (const [given, member] of members) {
      if (member !== undefined && member !== null && comparableName(given) === name) {
        return member
      }
    }
  }
  return undefined
}

/** A value that some sources wrap in an object, under the first of these names that exists. */
export function unwrap(value: unknown, names: readonly string[]): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    return value
  }
  return memberOf(value, names) ?? (Object.keys(value).length === 0 ? undefined : value)
}

const underscored = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** The table by comparable names, for the records of an import. */
export const importNames: FieldNames = namesBy((name, field) => {
  const comparable = comparableName(name)
  return field in lifecycleNames ? lifecyclePrefixes.map((prefix) => `${prefix}${comparable}`) : [comparable]
})

/** All names of some fields in that table. */
export const namesOf = <T extends RecordType>(type: T, ...fields: FieldOf<T>[]): ReadonlySet<string> =>
  new Set(fields.flatMap((field) => importNames[type][field]))

/** The names of the lifecycle by comparable names, for the members of an object in a record. */
export const lifecycleMembers: Record<LifecycleField, readonly string[]> = spelledRows(lifecycleNames, (name) => [
  comparableName(name),
])

/** The names of the objects of what a record lies in, in the same way. */
export const placeMembers: readonly string[] = placeNames.map(comparableName)

/** Where a skill lies in its repository. */
const placeFields: ReadonlySet<string> = new Set(['skill', 'path', 'commit', 'digest'])

/** The content of a skill: nothing of a document becomes public that its reader was not asked for. */
const contentFields: ReadonlySet<string> = new Set(['skillMd', 'files'])

/**
 * The table by the spellings that count in a document. Which of several skills it is, is read where a document says so in the
 * catalog's own words: another name may mean another thing to its writer, and ids stay.
 */
export const documentNames: FieldNames = namesBy((name, field) =>
  contentFields.has(field) || (placeFields.has(field) && name !== field) || (isImportOnly(name) && field !== 'place')
    ? []
    : [name, underscored(name)],
)

const otherFields: ReadonlySet<string> = new Set(
  Object.values<Record<string, readonly string[]>>(importNames).flatMap((rows) =>
    Object.entries(rows).flatMap(([field, names]) => (field === 'place' ? [] : [field, ...names])),
  ),
)

/** Names, comparable, of objects that have members of the lifecycle among others. */
export const lifecycleObjects: ReadonlySet<string> = new Set(
  [...lifecycleNames.moderation, ...lifecycleNames.metadata]
    .map(comparableName)
    .concat(placeMembers.filter((name) => !otherFields.has(name))),
)

/** Names, comparable, that have a meaning in some forms of their value only. */
const otherMeanings: ReadonlySet<string> = new Set([
  ...['source', 'stats', 'statistics', 'metrics', 'links', 'latestrelease', 'date'],
  ...[...importOnlyNames.url, ...importOnlyNames.install, ...importOnlyNames.path].map(comparableName),
])

/**
 * Every name, comparable, that has a meaning in a record of this type: those of the table and of its own fields. Of
 * `lifecycleObjects` only some members have one.
 */
export const knownNames: Record<RecordType, ReadonlySet<string>> = byType(knownNamesOf)

/** Spells a name of a field. */
type Spell = (name: string, field: string) => string[]

function namesBy(spell: Spell): FieldNames {
  return byType((type) => spelledRows<string>(fieldNames[type], spell)) as FieldNames
}

function spelledRows<Field extends string>(
  rows: Record<Field, readonly string[]>,
  spell: Spell,
): Record<Field, readonly string[]> {
  const spelled = Object.entries<readonly string[]>(rows).map(([field, names]) => [
    field,
    [...new Set(names.flatMap((name) => spell(name, field)))],
  ])
  return Object.fromEntries(spelled) as Record<Field, readonly string[]>
}

function knownNamesOf(type: RecordType): Set<string> {
  const rows = Object.entries<readonly string[]>(importNames[type])
  const names = rows.flatMap(([field, list]) => [comparableName(field), ...list])
  const known = new Set([...names, ...computedFields[type].map(comparableName)])
  return new Set([...known].filter((name) => !lifecycleObjects.has(name) && !otherMeanings.has(name)))
}

/** What is made of a table of names, once for each. */
export function onceByTable<Table extends object, Made extends object>(
  make: (names: Table) => Made,
): (names: Table) => Made {
  const known = new WeakMap<Table, Made>()
  return (names) => {
    let made = known.get(names)
    if (made === undefined) {
      made = make(names)
      known.set(names, made)
    }
    return made
  }
}
