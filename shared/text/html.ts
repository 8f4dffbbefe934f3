const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Escapes a text as HTML, for an element or a quoted attribute. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? '')

/** HTML made by `html`, as opposed to unescaped text. */
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

/** Template tag: values are escaped unless they are `Html` themselves; null is empty. */
export const html = (fixed: TemplateStringsArray, ...parts: Part[]): Html =>
  new Html(fixed.map((text, position) => text + render(parts[position] ?? null)).join(''))
