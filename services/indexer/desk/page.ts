import { escapeHtml } from '../../../shared/text/clean-text.js'

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

/** Pages load their own files only: no inline scripts and styles, no frames, nothing of other hosts. */
export const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

export interface Page {
  title: string
  /** Items of the navigation; absent: none. */
  nav?: Html
  /** The content of `<main>`. */
  main: Html
}

/** Renders a whole page of the desk. */
export const renderPage = ({ title, nav, main }: Page): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title} – Skill Catalog, operator’s desk</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/desk.css">
<script src="/desk.js" defer></script>
</head>
<body>
<header>
<p class="home">Skill Catalog <span class="quiet">operator’s desk</span></p>
${nav === undefined ? null : html`<nav aria-label="Desk">${nav}</nav>`}
</header>
<main>
${main}
</main>
</body>
</html>
`.text

/** A page with one message. */
export const messagePage = (title: string, message: string): string =>
  renderPage({
    title,
    main: html`<h1>${title}</h1>
<p>${message}</p>
<p><a href="/">Back to the status</a>. <a href="/readyz">/readyz</a> lists what is down.</p>`,
  })
