/** Formats whose files have no text to read: bytes at their beginning, and what each is and what to do. */
const formats: { begins: string[]; at?: number; holds?: RegExp; names: RegExp; reason: string }[] = [
  {
    // A ZIP archive with the parts of a workbook.
    begins: ['PK\u0003\u0004'],
    holds: /xl\/|spreadsheetml/,
    names: /\.xls[xmb]$/i,
    reason: 'is an Excel workbook. Save its sheet as "CSV UTF-8", and import that file',
  },
  {
    begins: ['\u00d0\u00cf\u0011\u00e0\u00a1\u00b1\u001a\u00e1'],
    names: /\.xls$/i,
    reason:
      'is an old Excel workbook, or another document of Office. Save its sheet as "CSV UTF-8", and import that file',
  },
  {
    begins: ['PK\u0003\u0004'],
    holds: /mimetypeapplication\/vnd\.oasis\.opendocument/,
    names: /\.f?ods$/i,
    reason: 'is an OpenDocument file. Save its sheet as CSV in UTF-8, and import that file',
  },
  {
    begins: ['PK\u0003\u0004'],
    holds: /\.iwa/,
    names: /\.numbers$/i,
    reason: 'is a document of Numbers or another Apple program. Export it as CSV in UTF-8, and import that file',
  },
  {
    begins: ['PAR1'],
    names: /\.(?:parquet|pq)$/i,
    reason: `is a Parquet file. Write it as JSON, for instance with: duckdb -c "COPY (FROM 'a.parquet') TO 'a.ndjson' (FORMAT json)"`,
  },
  {
    begins: ['SQLite format 3\u0000'],
    names: /\.(?:sqlite3?|db3?)$/i,
    reason:
      'is an SQLite database. Write a table of it as CSV, for instance with: sqlite3 -header -csv a.sqlite "SELECT * FROM skills"',
  },
  {
    begins: ['DUCK'],
    at: 8,
    names: /\.duckdb$/i,
    reason: `is a DuckDB database. Write a table of it as JSON, for instance with: duckdb a.duckdb -c "COPY skills TO 'a.ndjson' (FORMAT json)"`,
  },
  {
    begins: ['ARROW1', 'FEA1', 'Obj\u0001'],
    names: /\.(?:arrow|feather|avro|orc)$/i,
    reason: 'is a binary file of a data frame. Write it as CSV or JSON, and import that file',
  },
  {
    begins: ['%PDF-'],
    names: /\.pdf$/i,
    reason: 'is a PDF document. Ask for its data as CSV or JSON, and import that file',
  },
  {
    begins: ['PK\u0003\u0004', 'PK\u0005\u0006'],
    names: /\.(?:zip|jar|docx|skill)$/i,
    reason: 'is a ZIP archive. Extract it, for instance with unzip, and import the files or the folder in it',
  },
  {
    begins: ['ustar'],
    at: 257,
    names: /\.(?:tar|tgz|tbz2?|txz)(?:\.\w+)?$|\.tar\.\w+$/i,
    reason: 'is a tar archive. Extract it, for instance with tar -xf, and import the files or the folder in it',
  },
  {
    begins: ['BZh', '\u00fd7zXZ\u0000', '(\u00b5/\u00fd', '7z\u00bc\u00af\u0027\u001c', 'Rar!\u001a\u0007'],
    names: /\.(?:bz2|xz|zst|7z|rar)$/i,
    reason: 'is compressed in a way other than gzip. Unpack it, and import what is in it',
  },
  {
    begins: ['<', ' ', '\n', '\r', '\t', '\u00ef\u00bb\u00bf'],
    holds: /^(?:\u00ef\u00bb\u00bf)?\s*<(?:!doctype html|html|\?xml)/i,
    names: /\.(?:html?|xml)$/i,
    reason:
      'is a page of HTML or XML, perhaps an error or a login in place of a file. Download the data as CSV or JSON',
  },
]

/** What bytes are that cannot be read as text, and what to do, to follow the name of their source; null: they may be text. */
export function foreignFormatOf(head: Buffer): string | null {
  const text = head.toString('latin1')
  const found = formats.find(
    ({ begins, at = 0, holds }) => begins.some((bytes) => text.startsWith(bytes, at)) && (holds?.test(text) ?? true),
  )
  return found?.reason ?? null
}

/** The same by the name of a file. */
export const foreignFormatOfName = (name: string): string | null =>
  formats.find(({ names }) => names.test(name))?.reason ?? null
