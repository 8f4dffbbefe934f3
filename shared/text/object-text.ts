import { unquoted } from './split-list.js'

/** More characters than the objects of records have. */
const maxCharacters = 20_000

/** A text in quotes, or a word without them. A quote that is never closed takes all of the rest, which is read once. */
const tokens = /"(?:[^"\\]|\\[\s\S])*"?|'((?:[^'\\]|\\[\s\S])*)'?|[^\s'"{}[\],:][^'"{}[\],]*/g

/**
 * The object, or the list of objects, that a text is, as a cell of a table has it: in JSON, as Python prints it
 * (`{'private': True}`), or as DuckDB writes it (`{'name': MIT License}`).
 *
 * @returns null for any other text
 */
export function objectIn(text: string): unknown {
  if (text.length > maxCharacters || !/^\s*(?:\[\s*)?\{/.test(text)) {
    return null
  }
  return parsed(text) ?? parsed(text.replace(tokens, toJson))
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return null
  }
}

function toJson(part: string, quoted?: string): string {
  if (part.startsWith('"')) {
    return part
  }
  const word = part.trim()
  if (quoted !== undefined) {
    return JSON.stringify(unquoted(quoted, "'"))
  }
  return /^(?:true|false)$/i.test(word)
    ? word.toLowerCase()
    : /^(?:none|null|nan)$/i.test(word)
      ? 'null'
      : /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(word)
        ? word
        : JSON.stringify(word)
}
