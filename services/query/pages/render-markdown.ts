import { LRUCache } from 'lru-cache'
import MarkdownIt, { type Token } from 'markdown-it'
import sanitizeHtml from 'sanitize-html'
import { filePage, linkedFile } from '../../../shared/fields/repository-pages.js'
import type { KeptText } from '../../../shared/ports/skill-texts.js'
import type { Skill } from '../../../shared/records/skill.js'
import { limitMarks, visibleText } from '../../../shared/text/clean-text.js'
import { parseUrl } from '../../../shared/text/parse-url.js'
import { textAsKept, withoutFrontMatter } from '../../../shared/text/skill-text.js'
import type { Backends } from '../observability/backends.js'
import { wholeSkill } from '../skills/whole-skills.js'
import type { Instructions } from '../web/components/skill-instructions.js'

/**
 * Characters of a text that are rendered. Rendering takes place in the thread that answers requests: the texts that take
 * longest, wide tables of empty cells, take 0.6 seconds of a processor; of real ones half take 1 ms or less.
 */
export const maxRendered = 65_536

/** Depth of lists, quotes and emphasis; what is deeper is left out. */
const maxDepth = 40

/** Headings of a page above those of a text: its name, and the title of the section. */
const levelsAbove = 2

/** The beginning of the ids of headings, so that none equals another id of the page. */
const idPrefix = 'text-'

/** A text as HTML. */
export interface RenderedText {
  /** Safe to be put into a page: without scripts, styles, images, forms, and elements of the author's. */
  html: string
  /** Whether only the beginning is rendered: `maxRendered` characters. */
  isCut: boolean
}

/** Where a link of a text leads: to an address, or (null) nowhere. */
type Resolve = (path: string) => string | null

/**
 * Renders the text of a skill: foreign Markdown, and possibly hostile. HTML in it is shown as text, images become links, links
 * lead to http and https only, and headings stand below those of the page.
 *
 * @param resolve turns a path from the text's folder, or from the root of its repository with a slash in front, into an
 * address; null: not possible, the link becomes plain text
 */
export function renderMarkdown(text: string, resolve: Resolve): RenderedText {
  const body = withoutFrontMatter(text)
  const isCut = body.length > maxRendered
  const tokens = markdown.parse(limitMarks(isCut ? wholeLines(body) : body), {})
  placeHeadings(tokens)
  for (const token of tokens) {
    token.children = followLinks(token.children ?? [], resolve)
  }
  // Entities may stand for characters that nobody sees: removed last, but before the check.
  const html = visibleText(markdown.renderer.render(tokens, markdown.options, {}))
  return { html: sanitizeHtml(html, allowed), isCut }
}

/** The beginning of a text, up to the end of a line where there is one. */
function wholeLines(text: string): string {
  const beginning = text.slice(0, maxRendered)
  const end = beginning.lastIndexOf('\n')
  return end === -1 ? beginning : beginning.slice(0, end)
}

const markdown = new MarkdownIt({ html: false, linkify: false, maxNesting: maxDepth })
// Every link is a token, also one to nowhere: its text is shown without its address.
markdown.validateLink = () => true
const { escapeHtml } = markdown.utils
markdown.renderer.rules = {
  ...markdown.renderer.rules,
  code_block: (tokens, place) => codeBlock(tokens[place]),
  fence: (tokens, place) => codeBlock(tokens[place]),
  table_open: () => '<div role="region" aria-label="Table" tabindex="0"><table>',
  table_close: () => '</table></div>',
}

/** Code, and a button that copies it where scripts run. */
const codeBlock = (token: Token | undefined): string =>
  `<div><pre><code>${escapeHtml(token?.content ?? '')}</code></pre><button type="button">Copy</button></div>`

/**
 * Puts the headings of a text below those of the page, each at most one level below the one before, with the ids that forges
 * derive from them, so that links within the text find them.
 */
function placeHeadings(tokens: Token[]): void {
  const ids = new Map<string, number>()
  let level = levelsAbove
  for (const [place, token] of tokens.entries()) {
    if (token.type === 'heading_open') {
      level = Math.min(Number(token.tag.slice(1)) + levelsAbove, level + 1, 6)
      const id = toSlug(tokens[place + 1]?.children ?? [])
      const times = ids.get(id) ?? 0
      ids.set(id, times + 1)
      token.attrSet('id', `${idPrefix}${id}${times === 0 ? '' : `-${times}`}`)
    }
    if (token.type === 'heading_open' || token.type === 'heading_close') {
      token.tag = `h${level}`
    }
  }
}

const toSlug = (parts: Token[]): string =>
  parts
    .map(({ type, content }) => (type === 'text' || type === 'code_inline' ? content : ''))
    .join('')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-')

/** The tokens of a paragraph with each link to where it leads, or as plain text; an image is a link to it. */
function followLinks(tokens: Token[], resolve: Resolve): Token[] {
  const followed: Token[] = []
  /** For each open link, whether it leads anywhere. */
  const open: boolean[] = []
  for (const token of tokens) {
    if (token.type === 'link_open') {
      const target = linkTarget(String(token.attrGet('href')), resolve)
      open.push(target !== null)
      if (target === null) {
        continue
      }
      token.attrs = [['href', target]]
    } else if (token.type === 'link_close') {
      if (open.pop() !== true) {
        continue
      }
    } else if (token.type === 'image') {
      const target = open.includes(true) ? null : linkTarget(String(token.attrGet('src')), resolve)
      const alt = escapeHtml(token.content.trim() === '' ? 'Image' : token.content)
      token.type = 'html_inline'
      token.content = target === null ? alt : `<a href="${escapeHtml(target)}">${alt}</a>`
    }
    followed.push(token)
  }
  return followed
}

/** Where a link leads: another site, a heading of the same text, or a file of the repository; null: nowhere. */
function linkTarget(address: string, resolve: Resolve): string | null {
  if (address.startsWith('#')) {
    return address.length === 1 ? null : `#${idPrefix}${address.slice(1)}`
  }
  // Browsers leave out the control characters of an address, and read `\` as `/`.
  const plain = address.replace(/[\p{Cc}\s]/gu, '').replaceAll('\\', '/')
  if (/^[a-z][a-z0-9+.-]*:/i.test(plain)) {
    const url = parseUrl(plain)
    return url !== null && ['http:', 'https:'].includes(url.protocol) ? url.href : null
  }
  return plain === '' || plain.startsWith('//') ? null : resolve(plain)
}

/** What a rendered text consists of; anything else would be a fault of the parser, and is left out. */
const allowed: sanitizeHtml.IOptions = {
  allowedTags: [
    ...['h3', 'h4', 'h5', 'h6', 'p', 'br', 'hr', 'blockquote', 'ul', 'ol', 'li', 'pre', 'code'],
    ...['em', 'strong', 's', 'a', 'table', 'thead', 'tbody', 'tr', 'th', 'td', 'div', 'button'],
  ],
  allowedAttributes: {
    a: ['href', 'rel'],
    button: ['type'],
    div: ['role', 'aria-label', 'tabindex'],
    ...Object.fromEntries(['h3', 'h4', 'h5', 'h6'].map((tag) => [tag, ['id']])),
    ol: ['start'],
  },
  allowedSchemes: ['http', 'https'],
  allowProtocolRelative: false,
  disallowedTagsMode: 'discard',
  enforceHtmlBoundary: false,
  nestingLimit: 3 * maxDepth,
  parseStyleAttributes: false,
  transformTags: {
    a: (tagName, attributes) => ({ tagName, attribs: { ...attributes, rel: 'nofollow ugc noopener' } }),
  },
}

/** Bytes of a text for each of its tokens, see `estimateTokens`. */
const bytesPerToken = 4

/**
 * The number of tokens that a text takes of a model's context, about: its bytes in UTF-8 divided by four, in two digits. Of
 * 1,500 texts of skills 1,350 were within a quarter of what the tokenizers o200k and cl100k make of them; code and tables have
 * more than estimated.
 */
export function estimateTokens(text: string): number {
  const tokens = Buffer.byteLength(text) / bytesPerToken
  return Number(Math.ceil(tokens).toPrecision(2))
}

/** Rendered texts, by all that they are made of: a text that takes long is rendered once. */
const rendered = new LRUCache<string, RenderedText, { skill: Skill; text: string }>({
  maxSize: 8_000_000,
  sizeCalculation: ({ html }) => html.length + 1,
  memoMethod: (_key, _old, { context: { skill, text } }) =>
    renderMarkdown(textAsKept('cleaned', text), (path) => linkedFile(skill, path)),
})

function render(skill: Skill, { text, digest }: KeptText): RenderedText {
  const key = JSON.stringify([digest, skill.url, skill.commit, skill.path])
  return rendered.memo(key, { context: { skill, text } })
}

/** The text and files of a skill, for its page; null: the catalog keeps none of it. */
export async function readInstructions(
  catalog: Pick<Backends['catalog'], 'readText' | 'readFiles'>,
  skill: Skill,
): Promise<Instructions | null> {
  const [kept, files] = await Promise.all([catalog.readText(skill), catalog.readFiles(skill)])
  return kept === null
    ? null
    : {
        ...render(skill, kept),
        tokens: estimateTokens(kept.text),
        isWhole: files?.total === 1 && wholeSkill(skill, kept) !== null,
        files: (files?.files ?? []).map(({ path, size }) => ({ path, size, href: filePage(skill, path) })),
        filesTotal: files?.total ?? 0,
      }
}
