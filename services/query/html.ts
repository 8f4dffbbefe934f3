const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** A text as HTML that shows it, in an element or in the quotes of an attribute. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? '')

/** HTML that has been made here, as against text that has not. */
class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

export type { Html }

type Part = Html | Html[] | string | number | null

const render = (part: Part): string => {
  if (part instanceof Html) {
    return part.text
  }
  return Array.isArray(part) ? part.map(render).join('') : escapeHtml(String(part ?? ''))
}

/** Tag of a template: what is put in is shown as text, unless it comes from such a template itself; null is nothing. */
export const html = (fixed: TemplateStringsArray, ...parts: Part[]): Html =>
  new Html(fixed.map((text, position) => text + render(parts[position] ?? null)).join(''))
