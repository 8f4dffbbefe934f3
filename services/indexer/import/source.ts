/** The forms in which records come. */
export const sourceFormats = ['ndjson', 'json', 'csv', 'skill-md'] as const
export type SourceFormat = (typeof sourceFormats)[number]

/** The most text that one record may have, in bytes, however it is written: 1 MiB. */
export const mostRecordBytes = 1_048_576

/** The most objects and lists in each other that one record may have, itself included. MongoDB stores 100 levels. */
export const maxNesting = 64

/** One record as its source has it, or what is wrong in its place. */
export type SourceItem = {
  /** Where it is in its file, for instance `line 12`. */
  place: string
  /** What identifies it, where that is known apart from its content. */
  identity?: Record<string, unknown>
} & (
  | {
      record: Record<string, unknown>
      sizeBytes: number
      /** For a CSV row with line breaks in its cells: the lines in them that may be rows of their own. */
      rowsInCells?: () => Record<string, unknown>[]
    }
  | { reason: string }
)

/** Whether this is what a record must be: an object, not a list or a single value. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

/** Something to read records from, found by the arguments of a command. */
export interface Source {
  /** How it is named to the operator. */
  label: string
  /** Its path; null for standard input. */
  path: string | null
  /** Null: to be found out by its content. */
  format: SourceFormat | null
  /** For a SKILL.md: the folder that was asked for, below which the path names owner and repository. */
  folder: string | null
  /** Null for standard input and pipes. */
  sizeBytes: number | null
  /** A file with a copy of its content, to be read in its place. */
  copyPath?: string
}

/**
 * Thrown by a reader that cannot go on: what was read before stands, the rest is not known.
 * Its message says why and what to do; it begins in lower case, to follow the source's name.
 */
export class UnreadableSource extends Error {
  override readonly name = 'UnreadableSource'
}
