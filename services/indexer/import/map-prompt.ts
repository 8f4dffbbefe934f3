import { createHash } from 'node:crypto'
import { longestDescription } from '../../../shared/records/fields.js'
import { shorten } from '../../../shared/text/clean-text.js'
import { findHandle, withoutAddresses } from '../../../shared/text/personal-addresses.js'
import type { FieldOf } from './field-names.js'
import type { FieldReader } from './field-reader.js'
import { mapLifecycle } from './map-lifecycle.js'

type PromptFields = FieldReader<FieldOf<'prompts'>>

/** The fields of a prompt that a source's record tells; null when it does not tell which prompt it is. */
export function mapPrompt(fields: PromptFields): ({ id: string } & Record<string, unknown>) | null {
  const title = fields.line('title')
  const id = fields.line('id')?.toLowerCase() ?? (title === null ? null : promptId(title, withoutAddresses(title)))
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
    Object.entries(mapped).map(([field, value]) => [field, withoutAddresses(value)]),
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
