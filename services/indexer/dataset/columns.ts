import type { FileRecords, RecordType } from '../../../shared/records/records.js'

/** `time`: ISO-8601 in the records; `list`: of texts. */
type ColumnKind = 'text' | 'integer' | 'boolean' | 'time' | 'list'

export interface Column {
  kind: ColumnKind
  nullable: boolean
}

const required = (kind: ColumnKind): Column => ({ kind, nullable: false })
const optional = (kind: ColumnKind): Column => ({ kind, nullable: true })

/** The columns of each table, in order: those of the exports, under their names. */
const columns: { [T in RecordType]: Record<keyof FileRecords[T], Column> } = {
  skills: {
    id: required('text'),
    owner: required('text'),
    repo: required('text'),
    name: required('text'),
    description: optional('text'),
    topics: required('list'),
    license: optional('text'),
    language: optional('text'),
    homepage: optional('text'),
    url: optional('text'),
    stars: optional('integer'),
    forks: optional('integer'),
    version: optional('text'),
    archived: required('boolean'),
    createdAt: optional('time'),
    updatedAt: optional('time'),
    publishedAt: optional('time'),
    indexedAt: optional('time'),
    skill: optional('text'),
    path: optional('text'),
    commit: optional('text'),
    digest: optional('text'),
    organization: required('text'),
  },
  prompts: {
    id: required('text'),
    title: required('text'),
    description: optional('text'),
    content: required('text'),
    type: required('text'),
    topics: required('list'),
    author: optional('text'),
    url: optional('text'),
    license: optional('text'),
    createdAt: optional('time'),
    updatedAt: optional('time'),
  },
  organizations: {
    login: required('text'),
    name: optional('text'),
    description: optional('text'),
    url: optional('text'),
    avatarUrl: optional('text'),
    skills: required('integer'),
    stars: optional('integer'),
    topTopics: required('list'),
    createdAt: optional('time'),
    updatedAt: optional('time'),
  },
}

/** A record of any type as its columns. */
export type Row = Record<string, unknown>

/** The columns of a type with their names. */
export const columnsOf = (type: RecordType): [name: string, column: Column][] => Object.entries(columns[type])
