import type { SchemaElement } from 'hyparquet'
import { type ColumnSource, fileWriter, ParquetWriter } from 'hyparquet-writer'
import type { RecordType } from '../../../shared/records/records.js'
import { type Column, columnsOf, type Row } from './read-catalog.js'

/** Rows of a row group, which is kept in memory. A reader over HTTP sends a request for each column of each group. */
const maxGroupRows = 20_000

/** The same in characters: prompts are long. */
const maxGroupCharacters = 8_000_000

/** A Parquet file of one table, written row group by row group. */
export class ParquetFile {
  readonly #columns: [name: string, column: Column, values: unknown[]][]
  readonly #writer: ParquetWriter
  #rows = 0
  #characters = 0

  /**
   * @param metadata of the file, by name
   * @param compress compresses with Zstandard
   */
  constructor(
    path: string,
    type: RecordType,
    metadata: Record<string, string>,
    compress: (bytes: Uint8Array) => Uint8Array,
  ) {
    this.#columns = columnsOf(type).map(([name, column]) => [name, column, []])
    this.#writer = new ParquetWriter({
      writer: fileWriter(path),
      schema: schemaOf(type),
      codec: 'ZSTD',
      compressors: { ZSTD: compress },
      kvMetadata: Object.entries(metadata).map(([key, value]) => ({ key, value })),
      createdBy: 'skill-catalog',
    })
  }

  add(rows: Row[]): void {
    for (const row of rows) {
      for (const [name, { kind }, values] of this.#columns) {
        const value = row[name]
        // A time is shorter as a number, which the writer takes too.
        values.push(kind === 'time' && value !== null ? Date.parse(String(value)) : value)
        this.#characters += typeof value === 'string' ? value.length : 0
      }
      this.#rows += 1
      if (this.#rows >= maxGroupRows || this.#characters >= maxGroupCharacters) {
        this.#writeGroup()
      }
    }
  }

  /** Writes the rest. */
  finish(): void {
    if (this.#rows > 0) {
      this.#writeGroup()
    }
    void this.#writer.finish()
  }

  #writeGroup(): void {
    const columnData = this.#columns.map(([name, { kind }, values]): ColumnSource => {
      // The writer takes 64-bit integers as BigInt only.
      const data = kind === 'integer' ? values.map((value) => (value === null ? null : BigInt(Number(value)))) : values
      return { name, data }
    })
    void this.#writer.write({ columnData, rowGroupSize: this.#rows })
    for (const column of this.#columns) {
      column[2] = []
    }
    this.#rows = 0
    this.#characters = 0
  }
}

const text = { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } } as const

const types: Record<Exclude<Column['kind'], 'list'>, Omit<SchemaElement, 'name' | 'repetition_type'>> = {
  text,
  integer: { type: 'INT64' },
  boolean: { type: 'BOOLEAN' },
  time: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MILLIS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
  },
}

function schemaOf(type: RecordType): SchemaElement[] {
  const all = columnsOf(type)
  return [
    { name: 'root', num_children: all.length },
    ...all.flatMap(([name, { kind, nullable }]): SchemaElement[] => {
      const repetition_type = nullable ? 'OPTIONAL' : 'REQUIRED'
      return kind === 'list'
        ? [
            { name, repetition_type, num_children: 1, converted_type: 'LIST', logical_type: { type: 'LIST' } },
            { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
            { name: 'element', repetition_type: 'REQUIRED', ...text },
          ]
        : [{ name, repetition_type, ...types[kind] }]
    }),
  ]
}
