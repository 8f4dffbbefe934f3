import type { RecordType } from '../../../shared/records/records.js'
import { RecordCutter } from './record-cutter.js'
import type { SourceFormat } from './source.js'

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
  if (text.startsWith('[')) {
    return 'json'
  }
  if (!text.startsWith('{')) {
    return text.startsWith('---\n') || text.startsWith('---\r\n') ? 'skill-md' : 'csv'
  }
  const [first = '', second] = text.split(/\r?\n/)
  // A first line that is damaged is one of NDJSON too, unless a list begins in it, as in the exports of the catalog.
  const isOneObject = isJson(first) || ((second ?? '{').startsWith('{') && !holdsList(first, type))
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

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
