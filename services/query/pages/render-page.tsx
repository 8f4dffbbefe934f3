import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { XMLBuilder } from 'fast-xml-parser'
import { renderToString } from 'preact-render-to-string'
import { projectRoot } from '../../../shared/runtime/project-root.js'
import { visibleText } from '../../../shared/text/clean-text.js'
import { App, type AppProps, shownAttribute } from '../web/app.js'

const builder = new XMLBuilder({ ignoreAttributes: false, attributeNamePrefix: '@', suppressEmptyNode: true })

/** Characters that XML 1.0 cannot represent (section 2.2), lone surrogates among them. */
const unwritable = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu

/**
 * Renders an XML document. Texts are escaped; characters that XML cannot represent become the replacement character,
 * and those that nobody sees are left out.
 *
 * @param root elements by name; attributes are members that begin with `@`, text is the member `#text`
 */
export const renderXml = (root: object): string =>
  `<?xml version="1.0" encoding="utf-8"?>\n${visibleText(String(builder.build(root)).replace(unwritable, '\u{FFFD}'))}\n`

/**
 * A page may load its own files and call this service. No inline scripts or styles, no frames.
 *
 * @param style the hash of an inline style that is allowed as well
 */
export const contentPolicy = (style = ''): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' ${style}`.trimEnd(),
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')

export const htmlType = 'text/html; charset=utf-8'

/** Headers of every page. */
export const pageHeaders = { 'Content-Security-Policy': contentPolicy() }

export interface Page extends AppProps {
  title: string
  /** For search engines. */
  description: string
  /** The absolute canonical URL; absent: the requested one. */
  canonical?: string
  /** The path of the same content as JSON. */
  json?: string
  /** Paths of further scripts and stylesheets. */
  scripts?: string[]
  styles?: string[]
  /** A stylesheet in place of the usual file, which needs a policy that allows it. */
  inlineStyles?: string
  /** What the page is about, in the words of https://schema.org, for search engines. */
  about?: object
}

/**
 * Data without characters that nobody sees: they could show a name in another order, or hide words in it. Records lose them
 * when they are read; those that were stored before, and addresses, may have some.
 */
const visible = <Data,>(data: Data): Data => JSON.parse(visibleText(JSON.stringify(data))) as Data

/** What other sites show of a link to the page (https://ogp.me). */
const openGraph = (title: string, description: string, canonical: string | undefined): [string, string][] =>
  canonical === undefined
    ? []
    : [
        ['og:site_name', 'Skill Catalog'],
        ['og:type', 'website'],
        ['og:title', title],
        ['og:description', description],
        ['og:url', canonical],
        ['og:image', new URL('/assets/icon.png', canonical).href],
      ]

/** A script element without code: no text of a record can end it. */
const dataBlock = (about: object): string => {
  const json = JSON.stringify(visible({ '@context': 'https://schema.org', ...about }))
  return `<script type="application/ld+json">${json.replace(/[<>&\u2028\u2029]/g, escaped)}</script>`
}

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** The name of members that hold HTML: the browser keeps what is on the page, and need not get it twice. */
const htmlName = 'html'

/** Renders a whole page. */
export const renderPage = ({
  title,
  description,
  canonical,
  json,
  scripts = [],
  styles = [],
  inlineStyles,
  about,
  ...given
}: Page): string => {
  const props = visible(given)
  const html = renderToString(
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="description" content={visibleText(description)} />
        <title>{visibleText(title)}</title>
        {canonical === undefined ? null : <link rel="canonical" href={canonical} />}
        {openGraph(visibleText(title), visibleText(description), canonical).map(([property, content]) => (
          <meta key={property} property={property} content={content} />
        ))}
        <link rel="icon" href="/assets/icon.svg" type="image/svg+xml" />
        <link rel="alternate" href="/feed.atom" type="application/atom+xml" title="New and updated skills" />
        {json === undefined ? null : <link rel="alternate" href={json} type="application/json" />}
        {[...(inlineStyles === undefined ? [builtPath('styles/pages.css')] : []), ...styles].map((path) => (
          <link key={path} rel="stylesheet" href={path} />
        ))}
        <script src={builtPath('theme.ts')} />
        <script src={builtPath('browser.tsx')} type="module" />
        {scripts.map((path) => (
          // Modules and deferred scripts run in the order of the page.
          <script key={path} src={path} {...(path.startsWith('/assets/') ? { type: 'module' } : { defer: true })} />
        ))}
      </head>
      <body>
        <div
          class="page"
          {...{ [shownAttribute]: JSON.stringify(props, (name, value) => (name === htmlName ? '' : value)) }}
        >
          <App {...props} />
        </div>
      </body>
    </html>,
  )
  // Inserted into the text, since the renderer would escape them. The first `</head>` is the page's own.
  const inline = `${inlineStyles === undefined ? '' : `<style>${inlineStyles}</style>`}${about === undefined ? '' : dataBlock(about)}`
  return `<!doctype html>${html.replace('</head>', () => `${inline}</head>`)}`
}

/** A page as the answer of its endpoint. */
export const pageAnswer = (page: Page) => ({ text: renderPage(page), headers: pageHeaders })

/** The files that Vite has built for browsers, by their sources in `services/query/web`. */
type Manifest = Record<string, { file: string }>

const folder = join(projectRoot(), 'dist', 'web')

/**
 * The built files, by name: the present ones, and those of earlier builds, for pages that browsers have kept. They are read
 * when this process starts, and never again: a build that replaces them later belongs to another version of the pages.
 *
 * @throws where `npm run build` was not run
 */
function readBuild(): { manifest: Manifest; files: Map<string, Buffer> } {
  try {
    const manifest = JSON.parse(readFileSync(join(folder, '.vite', 'manifest.json'), 'utf8')) as Manifest
    const names = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile())
    return { manifest, files: new Map(names.map(({ name }) => [name, readFileSync(join(folder, name))])) }
  } catch (error) {
    throw new Error('The pages are not built: run npm run build, then start again.', { cause: error })
  }
}

const build = readBuild()

/** Every built file, by name. */
export const builtFiles: ReadonlyMap<string, Buffer> = build.files

const entryOf = (source: string): string => {
  const built = build.manifest[source]
  if (built === undefined) {
    throw new Error(`${source} is no entry of services/query/web/vite.config.ts`)
  }
  return built.file
}

/** The path of a source's built file in pages; its name has a hash of the content. */
export const builtPath = (source: string): string => `/assets/${entryOf(source)}`

/** The content of a source's built file. */
export const builtText = (source: string): string => String(builtFiles.get(entryOf(source)))
