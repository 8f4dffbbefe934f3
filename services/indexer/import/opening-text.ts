import { maxCharacters } from '../../../shared/records/limits.js'

/** What the text of a SKILL.md says first. */
export interface OpeningText {
  /** Its first heading; null: it has none. */
  heading: string | null
  /** Its first paragraph; null: it has none. */
  paragraph: string | null
  /** Whether it has more than headings. */
  hasText: boolean
}

/** Lines that are no part of a paragraph: headings, rules, lists, quotes, tables, code, pictures and HTML. */
const noParagraph = /^(?:#{1,6}(?:\s|$)|[-*_=]{3,}\s*$|[-*+]\s|\d+[.)]\s|>|\||\[?!\[|<|\{%)/

/** Reads the first heading and the first paragraph of Markdown, as plain text. */
export function readOpening(markdown: string): OpeningText {
  const lines = markdown.replace(/<!--[\s\S]*?(?:-->|$)/g, '').split('\n')
  let heading: string | null = null
  let hasText = false
  let code: string | null = null
  let paragraph: string[] = []
  for (const [at, line] of lines.entries()) {
    const text = line.trim()
    const [mark = null] = /^(?:`{3,}|~{3,})/.exec(text) ?? []
    if (code !== null || mark !== null) {
      code = code === null ? mark : mark?.startsWith(code) ? null : code
      hasText = true
      if (paragraph.length > 0) {
        break
      }
      continue
    }
    const underline = /^(?:={3,}|-{3,})$/.test(lines[at + 1]?.trim() ?? '')
    const [, title] = /^#{1,6}\s+(.*?)(?:\s+#+)?$/.exec(text) ?? []
    const found = title ?? (underline && text !== '' && !noParagraph.test(text) && paragraph.length === 0 ? text : null)
    if (found !== null) {
      heading ??= toPlain(found)
    }
    const isText = text !== '' && found === null && !noParagraph.test(text)
    hasText ||= text !== '' && found === null && !/^[-*_=]{3,}$/.test(text)
    if (isText) {
      paragraph.push(text)
    } else if (paragraph.length > 0 && (toPlain(paragraph.join(' ')) ?? '') !== '') {
      break
    } else {
      paragraph = []
    }
  }
  return { heading, paragraph: toPlain(paragraph.join(' ')), hasText }
}

/** Markdown on one line without its marks; null: nothing is left. */
function toPlain(markdown: string): string | null {
  const plain = markdown
    .slice(0, maxCharacters.description * 2)
    .replace(/!\[[^\]]*\]\([^)]*\)/g, '')
    .replace(/\[([^\]]+)\]\([^)]*\)/g, '$1')
    .replace(/<\/?[a-z][^>]*>/gi, '')
    .replace(/(\*\*|__|~~)(?=\S)(.*?\S)\1/g, '$2')
    .replace(/(?<![\w*])[*_](?=\S)(.*?\S)[*_](?![\w*])/g, '$1')
    .replace(/`([^`]*)`/g, '$1')
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    .trim()
  return plain === '' ? null : plain
}
