import { dirname, join, relative, resolve, sep } from 'node:path'
import { isNativeError } from 'node:util/types'
import type { ReadContent } from '../../../shared/fields/skill-content.js'
import type { Checkout } from './checkout.js'

/** Why a gzip file is not read to its end, to follow its name. */
export const bytesAfterGzip = 'has other bytes after its gzip data. Unpack it with gunzip, and import what that writes.'

/** What the codes of errors mean, and what to do. */
const fileErrors: Record<string, string> = {
  ENOENT: 'does not exist. Check the path.',
  EACCES: 'may not be read by this user. Check its permissions.',
  EPERM: 'may not be read by this user. Check its permissions.',
  ELOOP: 'is a symbolic link to itself.',
  ENXIO: 'cannot be opened as a pipe. Use - for standard input.',
  Z_BUF_ERROR: 'ends in the middle of its gzip data: the file is truncated.',
  Z_DATA_ERROR: 'has damaged gzip data. Download or pack it again.',
}

/** Describes why a file or folder could not be read, to follow its name, and what to do. */
export function describeFileError(error: unknown): string {
  const { code, message } = isNativeError(error) ? (error as NodeJS.ErrnoException) : { message: error }
  // A source is unpacked where its header is one: this is what comes after its data.
  const isAfterGzip = code === 'Z_DATA_ERROR' && message === 'incorrect header check'
  return isAfterGzip ? bytesAfterGzip : (fileErrors[code ?? ''] ?? `cannot be read: ${message}`)
}

/** The formats of sources. */
export const sourceFormats = ['ndjson', 'json', 'csv', 'skill-md'] as const
export type SourceFormat = (typeof sourceFormats)[number]

/** The maximum text of one record in bytes, in any format: 1 MiB. */
export const maxRecordBytes = 1_048_576

/** One record as its source has it, or the fault of it. */
export type SourceItem = {
  /** Its place in its file, for instance `line 12`. */
  place: string
  /** Its identity, where that is known apart from its content. */
  identity?: Members
} & (
  | {
      record: Members
      sizeBytes: number
      /** What its reader has left out of it, and why. */
      dropped?: string[]
      /** Of a SKILL.md: its text, and the files with it. */
      content?: ReadContent
      /** Of a row of CSV, which is without the apostrophes of an export: the names of its columns. */
      columns?: readonly string[]
      /** For a CSV row with line breaks in its cells: the lines in them that may be rows of their own. */
      rowsInCells?: () => Members[]
    }
  | { reason: string }
)

/** The members of an object, by their names. */
export type Members = Record<string, unknown>

/** Whether this is an object, as a record must be, and not a list or a single value. */
export const isRecord = (value: unknown): value is Members =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

/** A source of records, found by the arguments of a command. */
export interface Source {
  /** Its name for the operator. */
  label: string
  /** Its path; null for standard input. */
  path: string | null
  /** Null: detected by its content. */
  format: SourceFormat | null
  /** For a SKILL.md: the requested folder, below which the path names owner and repository. */
  folder: string | null
  /** For a SKILL.md: the checked-out repository that it lies in; absent: none is known. */
  checkout?: Checkout | null
  /** For a SKILL.md in a folder: the folders of all skills in it. */
  skillFolders?: ReadonlySet<string>
  /** Null for standard input and pipes. */
  sizeBytes: number | null
  /** A file with a copy of its content, which is read instead. */
  copyPath?: string
}

/**
 * Thrown by a reader that cannot continue: records before it are valid, the rest is unknown.
 * Its message says why and what to do; it begins in lower case, to follow the source's name.
 */
export class UnreadableSource extends Error {
  override readonly name = 'UnreadableSource'
}

/** Folders that hold what programs keep for themselves. */
const privateFolders =
  /^(?:node_modules|\.(?:git|hg|svn|bzr|jj|cache|venv|tox|npm|yarn|pnpm-store|next|nuxt|gradle|terraform|trash))$/i

/** Whether a folder of this name is skipped: it holds what a program keeps for itself. */
export const isPrivateFolder = (name: string): boolean => privateFolders.test(name)

/** Adds items to a list. As the arguments of one `push` more than some 120,000 are too many. */
export function addAll<Item>(list: Item[], items: Iterable<Item>): void {
  for (const item of items) {
    list.push(item)
  }
}

/** Folders with the files of a skill, and of tests wherever they are. */
const partsOfSkill = /^(?:references?|examples?|assets|templates?|resources|scripts|backups?)$/i
const tests = /^(?:tests?|__tests__|fixtures?|__fixtures__|test-?data|test-?fixtures)$/i

/**
 * Whether a SKILL.md is a file of another skill, or of tests.
 *
 * @param folder the requested folder
 * @param folders the absolute paths of the folders that have a SKILL.md
 */
export function isPartOfSkill({ label, checkout }: Source, folder: string, folders: ReadonlySet<string>): boolean {
  const root = resolve(checkout?.folder ?? folder)
  const names = relative(root, dirname(label)).split(sep)
  return names.some((name, place) => {
    const above = names.slice(0, place).map((_name, at) => join(root, ...names.slice(0, at + 1)))
    const isInSkill = [root, ...above].some((ancestor) => folders.has(ancestor))
    // Outside of a checkout the first two names are an owner and a repository, which may have such names.
    return (isInSkill && (partsOfSkill.test(name) || tests.test(name))) || ((checkout || place > 1) && tests.test(name))
  })
}
