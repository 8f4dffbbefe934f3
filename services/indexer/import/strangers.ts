import { brief } from '../../../shared/fields/field-reader.js'
import { comparableName } from '../../../shared/records/field-names.js'
import {
  anyIdentities,
  fullNames,
  groups,
  hasText,
  listsOfAnyType,
  listsThatAreRead,
  listWithin,
  saysWhich,
} from './envelopes.js'
import { isRecord, type Members } from './source.js'

const isObjects = (value: unknown): boolean => Array.isArray(value) && isRecord(value[0])

const isListOfRecords = (value: unknown): boolean =>
  Array.isArray(value) && isRecord(value[0]) && hasText(value[0], anyIdentities)

const has = (document: Members, ...names: string[]): boolean =>
  names.some((name) => document[name] !== undefined && document[name] !== null)

/** Whether these are two states of a row, which has none before it is added, and after it is deleted. */
const areRows = (...states: unknown[]): boolean =>
  states.every((state) => state === null || isRecord(state)) && states.some(isRecord)

const isTableByColumns = (document: Members): boolean =>
  Object.keys(document).some((name) => anyIdentities.has(comparableName(name))) &&
  Object.values(document).every((column) =>
    Array.isArray(column) ? !isObjects(column) : isRecord(column) && '0' in column,
  )

/** Documents of other kinds that lie where records are looked for. */
const strangers: Record<string, (document: Members) => boolean> = {
  'is a marketplace of plugins: import the folder of its repository, for its SKILL.md files': ({ plugins }) =>
    isObjects(plugins),
  'is the manifest of a plugin: import its folder, for its SKILL.md files': ({ skills }) =>
    typeof skills === 'string' && skills.startsWith('.'),
  'is the package.json of a project: import its folder, for its SKILL.md files': (own) =>
    ['dependencies', 'devDependencies', 'scripts'].some((name) => isRecord(own[name])) && !has(own, 'dist'),
  'is a row of which its service has truncated cells: download the files of the data set': (own) =>
    isRecord(own['row']) && Array.isArray(own['truncated_cells']) && own['truncated_cells'].length > 0,
  'is the tsconfig.json of a project': (own) => has(own, 'compilerOptions'),
  'is a lock file': (own) => has(own, 'lockfileVersion'),
  'is a configuration of MCP servers': (own) => has(own, 'mcpServers'),
  'is the description of an API': (own) => has(own, 'openapi', 'swagger'),
  'is a JSON-RPC message: import the records in it': (own) => has(own, 'jsonrpc'),
  'is a release of a repository: import the repository': (own) =>
    has(own, 'tag_name') && has(own, 'tarball_url', 'target_commitish'),
  'is an issue or a pull request': (own) =>
    has(own, 'number') && has(own, 'pull_request', 'comments_url', 'issue_url', 'diff_url'),
  'is a table by columns: write it by rows, for instance with df.to_json("a.json", orient="records") of pandas':
    isTableByColumns,
  'is a change of a row, before and after it: write the rows themselves': ({ payload, before, after, old, new: now }) =>
    areRows(before, after) || areRows(old, now) || (isRecord(payload) && areRows(payload['before'], payload['after'])),
  'is a row of BigQuery without the names of its columns: write its table with bq query --format=json': ({ f, v }) =>
    isObjects(f) && v === undefined,
  'is a row of Neo4j with a list of its values: write its nodes with apoc.export.json': ({ row, meta }) =>
    isObjects(row) && Array.isArray(meta),
  'is a change of a document of MongoDB: write the documents themselves, with mongoexport': ({ documentKey }) =>
    isRecord(documentKey),
  'is a message with its schema: write its payload alone': ({ schema, payload }) =>
    isRecord(schema) && isRecord(payload),
  'is a list of the files of a repository: import the address of the repository': ({ sha, tree }) =>
    sha !== undefined && Array.isArray(tree),
  'is a file of a repository': ({ type, name, sha, download_url: url }) =>
    type === 'file' && sha !== undefined && url !== undefined && name !== 'SKILL.md',
  'is a commit': ({ sha, commit }) => sha !== undefined && isRecord(commit),
  'is an entry of a change feed: follow it with npm run catalog -- mirror': (own) =>
    has(own, 'sequence') && has(own, 'change'),
}

/** Whether an object under the name of an error holds records instead, or is one. */
const isEnvelope = (name: string, value: unknown): boolean =>
  (name === 'message' && listWithin(value) !== null) ||
  (['message', 'detail'].includes(name) && isRecord(value) && hasText(value, fullNames))

/** What Elasticsearch is to do with the document in the next line. */
const actions: ReadonlySet<string> = new Set(['index', 'create', 'update'])

const ofAction = /^(?:_\w+|routing|pipeline|version|retry_on_conflict|require_alias)$/

/** Types of messages between records, each with a member of its name, as Airbyte and Singer write them. */
const messages: ReadonlySet<string> = new Set(['SCHEMA', 'STATE', 'LOG', 'TRACE', 'CATALOG', 'SPEC', 'CONTROL'])

/** Whether a document says something about the records around it, and is none itself: it is left out. */
export function isMessage(document: Members): boolean {
  const { type } = document
  if (typeof type === 'string') {
    return messages.has(type) && (isRecord(document[type.toLowerCase()]) || (type === 'STATE' && 'value' in document))
  }
  const [name = '', ...others] = Object.keys(document)
  const action = others.length === 0 && actions.has(name) ? document[name] : null
  return isRecord(action) && Object.keys(action).every((each) => ofAction.test(each))
}

/** Why a document is no record of a catalog; null: it may be one. */
export function recognizeStranger(document: Members): string | null {
  // Nearly all documents end here, and need no closer look.
  const { repo, content, prompt } = document
  if ([repo, content, prompt].some((value) => typeof value === 'string') || hasText(document, fullNames)) {
    return null
  }
  const stranger = Object.keys(strangers).find((what) => strangers[what]?.(document))
  if (stranger !== undefined) {
    return `is no record: it ${stranger}`
  }
  const names = Object.keys(document).map(comparableName)
  const [error] = ['message', 'error', 'errors', 'detail'].filter(
    (name) => has(document, name) && !isEnvelope(name, document[name]),
  )
  const isPartial = isRecord(document['data']) && Object.values(document['data']).some(isRecord)
  if (error !== undefined && !isPartial && !names.some((name) => anyIdentities.has(name) && name !== 'url')) {
    return `is no record: it is the error that a service answered, ${brief(document[error])}`
  }
  const [list] = Object.entries(document).find(([, value]) => isListOfRecords(value)) ?? []
  const isRead = listsOfAnyType.has(comparableName(list ?? '')) || groups.has(comparableName(list ?? ''))
  return list === undefined || isRead || saysWhich(document)
    ? null
    : `is no record: it has a list ${JSON.stringify(list)}. ${listsThatAreRead}`
}
