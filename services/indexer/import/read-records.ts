import type { Readable } from 'node:stream'
import type { ReadContent } from '../../../shared/fields/skill-content.js'
import { addressOf } from '../../../shared/fields/web-address.js'
import type { Catalog } from '../../../shared/ports/catalog.js'
import { comparableName, importNames } from '../../../shared/records/field-names.js'
import type { RecordType } from '../../../shared/records/records.js'
import { publicSchemas } from '../../../shared/records/schemas.js'
import type { StoredSkill } from '../../../shared/records/skill.js'
import type { TextMode } from '../../../shared/text/skill-text.js'
import { AnswerPages } from './answer-pages.js'
import { listsThatAreRead, listWithin, unwrapRecord } from './envelopes.js'
import type { FoundSources, UnreadablePath } from './find-sources.js'
import { type MappedRecord, mapRecord } from './map-record.js'
import { fromCells } from './read-csv.js'
import { frontMatter, readSkillMd } from './read-skill-md.js'
import { readSource } from './read-source.js'
import { PromptIds, RepeatedSkills } from './record-ids.js'
import { isRecord, type Members, type Source, type SourceItem, UnreadableSource } from './source.js'

/** A rejected record, or a value that was left out of a record. */
interface Rejection {
  /** Its file, and its line or record number. */
  label: string
  place: string
  reason: string
}

/** Receives the progress of an import. */
export interface ImportWatcher {
  /** `bytes` more have been read from the sources, as they are stored. */
  read(bytes: number): void
  /** `total` records have been processed. */
  dealtWith(total: number): void
  rejected(rejection: Rejection): void
  dropped(rejection: Rejection): void
  /** A source that could not be read, or not to its end. */
  unreadable(path: UnreadablePath): void
}

/** Totals of reading the sources. */
export interface ReadTotals {
  /** Records found in the sources, rejected ones included. */
  read: number
  rejected: number
  /** Rejected records without a known id. */
  unidentified: number
  /** Skills whose records differ in name or description, and the records that took the place of others. */
  repeatedIds: number
  replacedRecords: number
  /** Values that were left out of accepted records. */
  droppedValues: number
  /** SKILL.md files that are parts of other skills, or have the name of another one in their repository. Not in `read`. */
  leftOut: number
  /** Sources that were read to their end. */
  sourcesRead: number
  /** Sources that could not be read, or not to their end. */
  sourcesUnreadable: number
  /** Whether each of `repeatedIds` has the name of a skill: the field that distinguishes them is known. */
  areNamed: boolean
  /** Why the sources are only some pages of a longer list; null: they do not say so. */
  missingPages: string | null
  /** The type that every record seems to be of instead, where all were rejected; null: none. */
  likelyType: RecordType | null
}

/** Rejected records that are tried as records of another type. */
const maxTried = 100

/** A record of a source, accepted or rejected. */
export interface ReadRecord<T extends RecordType> {
  source: Source
  item: SourceItem
  mapped: MappedRecord<T>
}

/** Options of reading records. */
export interface ReadOptions<T extends RecordType> {
  type: T
  /** The catalog as it is; null: it does not exist yet. */
  catalog: Pick<Catalog, 'listIds' | 'findStored'> | null
  stdin: Readable
  watcher: ImportWatcher
  /** The field with the names of the skills of a repository, where it has a name of its own; absent: the usual ones. */
  skillField?: string | undefined
  /** The addresses of repositories that the source does not have, see `addressOf`; absent: none. */
  urlTemplate?: string | undefined
  /** The field with the texts of skills, where it has a name of its own; absent: the usual one. */
  textField?: string | undefined
  /** What is kept of the texts of skills. Default: `off`. */
  textMode?: TextMode
  /** Stops the reading before the next record. */
  signal: AbortSignal
}

/**
 * Reads the records of all sources, in their order.
 *
 * @param take receives each record, rejected ones included
 */
export async function readRecords<T extends RecordType>(
  { sources, unreadable, ignored }: FoundSources,
  { type, catalog, stdin, watcher, skillField, urlTemplate, textField, textMode = 'off', signal }: ReadOptions<T>,
  take: (record: ReadRecord<T>) => Promise<void> | void,
): Promise<ReadTotals> {
  const totals = {
    read: 0,
    rejected: 0,
    unidentified: 0,
    droppedValues: 0,
    leftOut: ignored.length,
    sourcesRead: 0,
    sourcesUnreadable: unreadable.length,
  }
  // An organization is known by so little that many records could be one.
  const otherType = type === 'skills' ? 'prompts' : 'skills'
  let others = 0
  const pages = new AnswerPages()
  const promptIds = new PromptIds(catalog)
  const repeated = new RepeatedSkills()
  unreadable.forEach(watcher.unreadable)
  for (const { label, place = 'the whole file', reason } of ignored) {
    watcher.dropped({ label, place, reason })
  }
  for (const source of sources) {
    try {
      for await (const item of readSource(source, type, stdin, watcher.read, signal, pages, textMode !== 'off')) {
        signal.throwIfAborted()
        const mapped = await promptIds.identify(mapItem(type, item, { skillField, urlTemplate, textField }))
        totals.read += 1
        if ('reason' in mapped && mapped.change === undefined) {
          totals.rejected += 1
          totals.unidentified += mapped.id === null ? 1 : 0
          const isOther = totals.rejected <= maxTried && 'record' in mapItem(otherType, item, {})
          others += isOther ? 1 : 0
          const whose = isUnknownFile(item) ? remedyOfUnknown : ''
          watcher.rejected({ label: source.label, place: item.place, reason: `${mapped.reason}${whose}` })
        } else if ('dropped' in mapped) {
          totals.droppedValues += mapped.dropped.length
          for (const reason of mapped.dropped) {
            watcher.dropped({ label: source.label, place: item.place, reason })
          }
        }
        const skill = type === 'skills' && 'record' in mapped && mapped.change === undefined ? mapped.record : null
        const copies = skill && item.place === frontMatter ? repeated.leftOut(skill as StoredSkill, source.label) : null
        if (copies !== null) {
          const reason = `has the name of another skill of its repository, which is in ${copies.kept.path || 'its root'}`
          totals.leftOut += 1
          totals.read -= 1
          watcher.dropped({ label: copies.left.label, place: 'the whole file', reason })
        } else if (skill && item.place !== frontMatter) {
          repeated.add(skill as StoredSkill)
        }
        if (copies?.left.label !== source.label) {
          await take({ source, item, mapped })
        }
        watcher.dealtWith(totals.read)
      }
      totals.sourcesRead += 1
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof UnreadableSource)) {
        throw error
      }
      totals.sourcesUnreadable += 1
      watcher.unreadable({ label: source.label, reason: error.message })
    }
  }
  const isAllOther = others > 0 && totals.rejected === totals.read && others === Math.min(maxTried, totals.rejected)
  return {
    ...totals,
    repeatedIds: repeated.ids,
    replacedRecords: repeated.replaced,
    areNamed: repeated.areNamed,
    missingPages: pages.missing(totals.read),
    likelyType: isAllOther ? otherType : null,
  }
}

const remedyOfUnknown =
  '. Import its folder with --repository owner/repo; a list of repositories is read from a .txt file, one address a line'

/** Whether nothing says whose skill a SKILL.md is. */
const isUnknownFile = (item: SourceItem): boolean =>
  item.place === frontMatter && 'record' in item && item.identity === undefined

/** What the operator says of a source. */
type OwnNames = Pick<ReadOptions<RecordType>, 'skillField' | 'urlTemplate' | 'textField'>

function mapItem<T extends RecordType>(type: T, item: SourceItem, names: OwnNames): MappedRecord<T> {
  const isPublicOnly = 'record' in item && areOfExport(type, item.columns ?? Object.keys(item.record))
  const mapped =
    'reason' in item
      ? { id: null, reason: item.reason }
      : mapRecord(
          type,
          // A record of JSON that another program has made from a CSV export is read as a row of that export.
          withUsualNames(item, isPublicOnly && !item.columns ? fromCells(item.record) : item.record, names),
        )
  if ('record' in mapped && type === 'skills') {
    const skill = mapped.record as StoredSkill
    skill.url ??= addressOf(skill, names.urlTemplate)
    skill.description ??= 'content' in mapped && mapped.content ? descriptionIn(mapped.content) : null
  }
  if ('record' in mapped && 'record' in item) {
    const { dropped = [], content = mapped.content } = item
    return {
      ...mapped,
      dropped: [...dropped, ...mapped.dropped],
      ...(content && { content }),
      ...(isPublicOnly && { isPublicOnly }),
    }
  }
  if ('reason' in mapped && item.identity !== undefined) {
    return { ...mapped, id: mapRecord(type, item.identity).id }
  }
  // Front matter is no answer, and may contain itself.
  const isJson = 'record' in item && item.place !== frontMatter
  const list = 'reason' in mapped && mapped.id === null && isJson ? listElsewhere(type, item.record) : null
  return list === null ? mapped : { id: null, reason: list }
}

/** What the text of a skill says that it does, where its record does not. */
function descriptionIn({ text, digest }: ReadContent): string | null {
  const item = readSkillMd('SKILL.md', '.', { head: Buffer.from(text), digest })
  const said = 'record' in item ? mapRecord('skills', { ...item.record, owner: 'any', repo: 'any' }) : item
  return 'record' in said ? said.record.description : null
}

/** Why an object that says of no record which it is has one: a list of them lies in it where none is looked for. */
function listElsewhere(type: RecordType, document: Members): string | null {
  const path = listWithin(document, (item) => isRecord(item) && mapRecord(type, unwrapRecord(item)).id !== null)
  const names = path?.map((name) => (/^[A-Za-z_]\w*$/.test(name) ? `.${name}` : `.${JSON.stringify(name)}`)).join('')
  return names === undefined
    ? null
    : `is no record: it has a list of records at ${names}. ${listsThatAreRead}, in the answer itself or in its "data", ` +
        `"result" or "response": import that list alone, which jq '${names}' writes`
}

/**
 * A record with the name of its skill and its text under their usual names; names are compared as in all other fields. Where
 * the operator says what distinguishes the skills, an empty path is one that the source does not know. A SKILL.md says it
 * itself.
 */
function withUsualNames({ identity }: SourceItem, record: Members, { skillField, textField }: OwnNames): Members {
  const nameOf = (field: string | undefined) =>
    field && Object.keys(record).find((each) => comparableName(each) === comparableName(field))
  const [name, text] = identity === undefined ? [nameOf(skillField), nameOf(textField)] : []
  const named = name ? { ...withoutEmptyPath(record), skill: record[name] } : record
  if (!text) {
    return named
  }
  // Not under both names: other members are stored with the record.
  const { [text]: skillMd, ...others } = named
  return { ...others, skillMd }
}

const withoutEmptyPath = (record: Members): Members =>
  Object.fromEntries(
    Object.entries(record).filter(
      ([name, value]) => value !== '' || !importNames.skills.path.includes(comparableName(name)),
    ),
  )

/** Fields that the exports of earlier versions lack. */
const laterFields = new Set(['skill', 'path', 'commit', 'digest'])

/** Whether these are the names of all public fields, as in an export, or in a record that another program has made from one. */
function areOfExport(type: RecordType, names: readonly string[]): boolean {
  const given = new Set(names.map(comparableName))
  return Object.keys(publicSchemas[type].shape).every(
    (name) => given.has(comparableName(name)) || laterFields.has(name),
  )
}
