import type { Match } from '../../../shared/ports/search-index.js'
import { escapeHtml } from '../../../shared/text/html.js'

/**
 * A text as HTML with its matches in `<em>`, or null when it has none. The rest is escaped: a description is untrusted
 * text.
 *
 * @param matches in any order; overlapping and adjacent ones are merged
 */
export function highlight(text: string | null, matches: Match[] | undefined): string | null {
  if (text === null || matches === undefined || matches.length === 0) {
    return null
  }
  let html = ''
  let written = 0
  for (const { start, end } of merged(text, matches)) {
    html += `${escapeHtml(text.slice(written, start))}<em>${escapeHtml(text.slice(start, end))}</em>`
    written = end
  }
  return html + escapeHtml(text.slice(written))
}

function merged(text: string, matches: Match[]): { start: number; end: number }[] {
  const ranges = matches
    .map(({ start, length }) => ({
      start: wholeCharacter(text, start, -1),
      end: wholeCharacter(text, start + length, 1),
    }))
    .filter(({ start, end }) => start < end)
    .sort((a, b) => a.start - b.start)
  const apart: { start: number; end: number }[] = []
  for (const range of ranges) {
    const last = apart.at(-1)
    if (last !== undefined && range.start <= last.end) {
      last.end = Math.max(last.end, range.end)
    } else {
      apart.push(range)
    }
  }
  return apart
}

/** A position in the text, moved out of the middle of a surrogate pair. */
function wholeCharacter(text: string, position: number, direction: 1 | -1): number {
  const within = Math.min(Math.max(position, 0), text.length)
  const splits = /^[\udc00-\udfff]$/.test(text.charAt(within)) && /^[\ud800-\udbff]$/.test(text.charAt(within - 1))
  return splits ? within + direction : within
}
