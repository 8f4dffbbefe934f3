import type { SourceFormat } from './source.js'

const extensions: [ending: RegExp, format: SourceFormat][] = [
  [/\.(ndjson|jsonl)$/i, 'ndjson'],
  [/\.json$/i, 'json'],
  [/\.csv$/i, 'csv'],
  [/^skill\.md$/i, 'skill-md'],
]

/** The format by a file's name, compressed or not; null: the name has no known extension. */
export function formatOfName(name: string): SourceFormat | null {
  const plain = name.replace(/\.gz$/i, '')
  return extensions.find(([ending]) => ending.test(plain))?.[1] ?? null
}

/**
 * The format by the beginning of a text. One object a line is NDJSON; an array, or an object that goes over several
 * lines or has a list of records, is JSON; anything else is read as CSV.
 */
export function sniffFormat(head: string): SourceFormat {
  const text = head.replace(/^\ufeff/, '').trimStart()
  if (text.startsWith('[')) {
    return 'json'
  }
  if (!text.startsWith('{')) {
    return text.startsWith('---\n') || text.startsWith('---\r\n') ? 'skill-md' : 'csv'
  }
  if (/^\{[^[{]*"(data|items|results|records)"\s*:\s*\[/.test(text)) {
    return 'json'
  }
  const [first = '', second] = text.split(/\r?\n/)
  return second === undefined || second.startsWith('{') || isJson(first) ? 'ndjson' : 'json'
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
