import { createHash } from 'node:crypto'
import { cleanLine, shorten } from './clean-text.js'
import type { FieldOf } from './field-names.js'
import { type FieldReader, longestDescription, unwrap } from './field-reader.js'
import { mapLifecycle } from './map-lifecycle.js'

type PromptFields = FieldReader<FieldOf<'prompts'>>

/** A handle has no `@` in any of the ways in which addresses are disguised. */
const handle = /^(?!.*(?:%40|[([{]\s*at\s*[)\]}]))[^\s@]{1,100}$/i

/** An e-mail address in a text. */
const address = /[\p{L}\p{N}._%+-]+(?:@|＠|%40)[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.\p{L}{2,}/giu

/** The fields of a prompt that a source's record tells; null when it does not tell which prompt it is. */
export function mapPrompt(fields: PromptFields): ({ id: string } & Record<string, unknown>) | null {
  const title = fields.line('title')
  const id = fields.line('id')?.toLowerCase() ?? (title === null ? null : promptId(title, hide(title)))
  if (id === null) {
    return fields.problem('title: must be told')
  }
  const mapped = {
    id,
    title: title === null ? null : shorten(title, 300),
    description: fields.text('description', longestDescription),
    content: fields.text('content'),
    type: fields.line('type')?.toLowerCase() ?? 'text',
    topics: fields.topics('topics'),
    author: findHandle(fields.all('author')),
    url: fields.address('url'),
    license: fields.license('license'),
    createdAt: fields.time('createdAt'),
    updatedAt: fields.time('updatedAt'),
    ...mapLifecycle(fields),
  }
  const shown = Object.fromEntries(
    Object.entries(mapped).map(([field, value]) => [field, hide(value)]),
  ) as typeof mapped
  // An address with something else in its place leads nowhere.
  return { ...shown, url: shown.url === mapped.url ? mapped.url : null }
}

/**
 * The identity of a prompt whose source gives it none: readable words of the title, then twelve hexadecimal digits of
 * its SHA-256. The same title is always the same prompt; titles that read alike (`C#`, `C++`, `提示`) stay apart.
 *
 * @param shown the title as it may be shown
 */
export function promptId(title: string, shown = title): string {
  const words = shown
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')
  const readable = words.join('-').slice(0, 60).replace(/-$/, '')
  const digest = createHash('sha256').update(title).digest('hex').slice(0, 12)
  return `${readable === '' ? 'prompt' : readable}-${digest}`
}

/**
 * The first handle among what is told of an author: a name or a list of names. An `@` anywhere but in front makes an
 * address, and an address is nobody's handle: it is passed over and appears nowhere in the record.
 */
export function findHandle(told: unknown[]): string | null {
  for (const value of told.flat()) {
    const names = unwrap(value, ['login', 'handle', 'username', 'name'])
    for (const name of typeof names === 'string' ? names.split(/[,;|]/) : []) {
      const candidate = cleanLine(name.normalize('NFKC'))
        ?.replace(/^https?:\/\/(?:www\.)?github\.com\//i, '')
        .replace(/^@/, '')
      if (candidate !== undefined && handle.test(candidate)) {
        return candidate
      }
    }
  }
  return null
}

/**
 * Takes e-mail addresses out of texts and lists of texts. People sign their prompts with them, and forms that were
 * filled in are handed on; a public catalog repeats nobody's address.
 */
function hide<T>(value: T): T
function hide(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map((each) => hide(each))
  }
  return typeof value === 'string' ? value.replace(address, '(address removed)') : value
}
