import type { RecordType } from '../../../shared/records/records.js'
import { parseJson } from '../../../shared/runtime/http-answers.js'
import { RecordCutter } from './record-cutter.js'
import { type SourceFormat, UnreadableSource } from './source.js'

/**
 * Decodes bytes to text, without a byte order mark.
 *
 * @throws UnreadableSource when they are not UTF-8, after the text before that: a guessed encoding could put wrong
 *   letters into the catalog
 */
export async function* decodeUtf8(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let read = 0
  let begun: Buffer = Buffer.alloc(0)
  for await (const chunk of chunks) {
    const bytes = Buffer.concat([begun, chunk])
    const { text, isDamaged } = wholeCharacters(bytes)
    yield read === 0 ? text.replace(/^\ufeff/, '') : text
    const length = Buffer.byteLength(text)
    read += length
    begun = bytes.subarray(length)
    if (isDamaged) {
      break
    }
  }
  if (begun.length > 0) {
    throw new UnreadableSource(`is not UTF-8 at byte ${read}. ${convertToUtf8}`)
  }
}

/** The characters at the beginning of bytes; after them come bytes that are none, or begin one. */
function wholeCharacters(bytes: Buffer): { text: string; isDamaged: boolean } {
  const newDecoder = () => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  try {
    return { text: newDecoder().decode(bytes, { stream: true }), isDamaged: false }
  } catch {
    const decoder = newDecoder()
    let text = ''
    try {
      // The decoder does not say where its input is damaged.
      for (const byte of bytes) {
        text += decoder.decode(Uint8Array.of(byte), { stream: true })
      }
    } catch {}
    return { text, isDamaged: true }
  }
}

/** Windows writes its own characters into text that is called Latin-1: typographic quotes, dashes, the euro sign. */
export const convertToUtf8 = 'Convert it, for instance with: iconv -f cp1252 -t utf-8'

const extensions: [ending: RegExp, format: SourceFormat][] = [
  [/\.(ndjson|jsonl)$/i, 'ndjson'],
  [/\.json$/i, 'json'],
  [/\.csv$/i, 'csv'],
  [/^skill\.md$/i, 'skill-md'],
]

/** JSON files of a project, none of which is a record. */
const projectFiles =
  /^(?:package(?:-lock)?|npm-shrinkwrap|[jt]sconfig(?:\.[\w-]+)?|composer|bower|deno|lerna|nx|turbo|vercel|biome|renovate|plugin|marketplace|manifest|settings(?:\.local)?|launch|mcp|\.mcp|skills-lock)\.json$/i

/** Whether a file with this name belongs to a project, and not to a catalog. */
export const isProjectFile = (name: string): boolean => projectFiles.test(name)

/** The format by a file's name, compressed or not; null: the name has no known extension, or is that of a project's file. */
export function formatOfName(name: string): SourceFormat | null {
  const plain = name.replace(/\.gz$/i, '')
  if (isProjectFile(plain)) {
    return null
  }
  return extensions.find(([ending]) => ending.test(plain))?.[1] ?? null
}

/**
 * The format by the beginning of a text. One object a line is NDJSON; a list, or an object that goes over several lines
 * or holds a list of records, is JSON; anything else is read as CSV.
 */
export function sniffFormat(head: string, type: RecordType): SourceFormat {
  const text = head.replace(/^\ufeff/, '').trimStart()
  // A table of TOML begins with its name.
  if (text.startsWith('[') && !/^\[\[?[a-z_][\w.-]*\]\]?\s*$/im.test(text.split('\n', 1)[0] ?? '')) {
    return 'json'
  }
  if (!text.startsWith('{')) {
    return text.startsWith('---\n') || text.startsWith('---\r\n') ? 'skill-md' : 'csv'
  }
  const [first = '', second] = text.split(/\r?\n/)
  // A damaged first line counts as NDJSON, too, unless a list begins in it, as in the exports of the catalog.
  const isOneObject = parseJson(first) !== undefined || ((second ?? '{').startsWith('{') && !holdsList(first, type))
  return isOneObject ? 'ndjson' : 'json'
}

/** Whether a list of records begins in a text, or a document ends in it: its first line is no single record. */
function holdsList(text: string, type: RecordType): boolean {
  const cutter = new RecordCutter(type)
  try {
    return [...cutter.take(text)].length > 0 || cutter.hasList
  } catch {
    return cutter.hasList
  }
}

/** What files are that have no text to read, and what to do: by bytes at their beginning, and by their names. */
const formats: Record<string, { begins: string[]; at?: number; holds?: RegExp; names: RegExp }> = {
  'is an Excel workbook. Save its sheet as "CSV UTF-8", and import that file': {
    // A ZIP archive with the parts of a workbook.
    begins: ['PK\u0003\u0004'],
    holds: /xl\/|spreadsheetml/,
    names: /\.xls[xmb]$/i,
  },
  'is an old Excel workbook, or another document of Office. Save its sheet as "CSV UTF-8", and import that file': {
    begins: ['\u00d0\u00cf\u0011\u00e0\u00a1\u00b1\u001a\u00e1'],
    names: /\.xls$/i,
  },
  'is an OpenDocument file. Save its sheet as CSV in UTF-8, and import that file': {
    begins: ['PK\u0003\u0004'],
    holds: /mimetypeapplication\/vnd\.oasis\.opendocument/,
    names: /\.f?ods$/i,
  },
  'is a document of Numbers or another Apple program. Export it as CSV in UTF-8, and import that file': {
    begins: ['PK\u0003\u0004'],
    holds: /\.iwa/,
    names: /\.numbers$/i,
  },
  [`is a Parquet file. Write it as JSON, for instance with: duckdb -c "COPY (FROM 'a.parquet') TO 'a.ndjson' (FORMAT json)"`]:
    { begins: ['PAR1'], names: /\.(?:parquet|pq)$/i },
  'is an SQLite database. Write a table of it as CSV, for instance with: sqlite3 -header -csv a.sqlite "SELECT * FROM skills"':
    { begins: ['SQLite format 3\u0000'], names: /\.(?:sqlite3?|db3?)$/i },
  [`is a DuckDB database. Write a table of it as JSON, for instance with: duckdb a.duckdb -c "COPY skills TO 'a.ndjson' (FORMAT json)"`]:
    { begins: ['DUCK'], at: 8, names: /\.duckdb$/i },
  'is a binary file of a data frame. Write it as CSV or JSON, and import that file': {
    begins: ['ARROW1', 'FEA1', 'Obj\u0001'],
    names: /\.(?:arrow|feather|avro|orc)$/i,
  },
  'is a PDF document. Ask for its data as CSV or JSON, and import that file': { begins: ['%PDF-'], names: /\.pdf$/i },
  'is a ZIP archive. Extract it, for instance with unzip, and import the files or the folder in it': {
    begins: ['PK\u0003\u0004', 'PK\u0005\u0006'],
    names: /\.(?:zip|jar|docx|skill)$/i,
  },
  'is a tar archive. Extract it, for instance with tar -xf, and import the files or the folder in it': {
    begins: ['ustar'],
    at: 257,
    names: /\.(?:tar|tgz|tbz2?|txz)(?:\.\w+)?$|\.tar\.\w+$/i,
  },
  'is compressed in a way other than gzip. Unpack it, and import what is in it': {
    begins: ['BZh', '\u00fd7zXZ\u0000', '(\u00b5/\u00fd', '7z\u00bc\u00af\u0027\u001c', 'Rar!\u001a\u0007'],
    names: /\.(?:bz2|xz|zst|7z|rar)$/i,
  },
  'is a page of HTML or XML, perhaps an error or a login in place of a file. Download the data as CSV or JSON': {
    begins: ['<', ' ', '\n', '\r', '\t', '\u00ef\u00bb\u00bf'],
    holds: /^(?:\u00ef\u00bb\u00bf)?\s*<(?:!doctype html|html|\?xml)/i,
    names: /\.(?:html?|xml)$/i,
  },
}

/** What bytes are that cannot be read as text, and what to do, to follow the name of their source; null: they may be text. */
export function foreignFormatOf(head: Buffer): string | null {
  const text = head.toString('latin1')
  const found = Object.entries(formats).find(
    ([, { begins, at, holds }]) => begins.some((bytes) => text.startsWith(bytes, at)) && (holds?.test(text) ?? true),
  )
  return found?.[0] ?? null
}

/** The same by the name of a file. */
export const foreignFormatOfName = (name: string): string | null =>
  Object.keys(formats).find((reason) => formats[reason]?.names.test(name)) ?? null
