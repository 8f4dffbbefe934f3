import { type Html, html } from '../../../shared/text/html.js'

/** A page may load its own files and call this service. No inline scripts, no frames. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

export const htmlType = 'text/html; charset=utf-8'

/** Headers of every page. */
export const pageHeaders = { 'Content-Security-Policy': policy }

export interface Page {
  title: string
  /** For search engines. */
  description: string
  /** The absolute canonical URL; absent: the requested one. */
  canonical?: string
  /** Paths of scripts and of further stylesheets. */
  scripts?: string[]
  styles?: string[]
  /** The content of `<main>`. */
  main: Html
}

/** Renders a whole page. */
export const renderPage = ({ title, description, canonical, scripts = [], styles = [], main }: Page): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${description}">
<title>${title}</title>
${canonical === undefined ? null : html`<link rel="canonical" href="${canonical}">\n`}<link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
<link rel="alternate" href="/feed.atom" type="application/atom+xml" title="New and updated skills">
<link rel="stylesheet" href="/assets/page.css">
${styles.map((path) => html`<link rel="stylesheet" href="${path}">\n`)}${scripts.map((path) => html`<script src="${path}" defer></script>\n`)}</head>
<body>
<header>
<a class="home" href="/">Skill Catalog</a>
<nav aria-label="Site"><a href="/docs">API</a> <a href="/docs/errors">Errors</a> <a href="/api/v1/export?type=skills&amp;format=csv">Download</a> <a href="/feed.atom">Feed</a></nav>
</header>
<main>
${main}
</main>
<footer><p>The data may be used under <a href="https://creativecommons.org/licenses/by/4.0/" rel="license">CC BY 4.0</a>.</p></footer>
</body>
</html>
`.text
