import type { ReadContent } from '../../../shared/fields/skill-content.js'
import type { Checkout } from './checkout.js'

/** The formats of sources. */
export const sourceFormats = ['ndjson', 'json', 'csv', 'skill-md'] as const
export type SourceFormat = (typeof sourceFormats)[number]

/** The maximum text of one record in bytes, in any format: 1 MiB. */
export const maxRecordBytes = 1_048_576

/** The maximum nesting of objects and lists in one record, itself included. MongoDB stores 100 levels. */
export const maxNesting = 64

/** One record as its source has it, or the fault of it. */
export type SourceItem = {
  /** Its place in its file, for instance `line 12`. */
  place: string
  /** Its identity, where that is known apart from its content. */
  identity?: Record<string, unknown>
} & (
  | {
      record: Record<string, unknown>
      sizeBytes: number
      /** What its reader has left out of it, and why. */
      dropped?: string[]
      /** Of a SKILL.md: its text, and the files with it. */
      content?: ReadContent
      /** A row of CSV, without the apostrophes of an export. */
      cells?: true
      /** For a CSV row with line breaks in its cells: the lines in them that may be rows of their own. */
      rowsInCells?: () => Record<string, unknown>[]
    }
  | { reason: string }
)

/** Whether this is an object, as a record must be, and not a list or a single value. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
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

export const isPrivateFolder = (name: string): boolean => privateFolders.test(name)
