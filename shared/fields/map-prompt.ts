import type { FieldOf } from '../records/field-names.js'
import { maxCharacters } from '../records/limits.js'
import { cleanLine } from '../text/clean-text.js'
import { inText } from '../text/in-text.js'
import { findHandle } from '../text/personal-addresses.js'
import { promptId, promptIdentity, publicPromptId } from '../text/prompt-id.js'
import { brief, type FieldReader } from './field-reader.js'
import { mapLifecycle } from './map-lifecycle.js'
import type { MappedFields } from './mapped-fields.js'
import { isNoValue } from './plain-value.js'

type PromptFields = FieldReader<FieldOf<'prompts'>>

/** @param key identifies the prompt where no field does, see `mapFields` */
export function mapPrompt(fields: PromptFields, key: unknown): MappedFields {
  const content = fields.wholeText('content', maxCharacters.promptContent)
  const author = readAuthor(fields)
  const { id, titleId } = identify(fields, key, { author, content })
  const mapped = {
    id,
    title: fields.publicLine('title', maxCharacters.promptTitle),
    description: fields.text('description', maxCharacters.description),
    content,
    type: fields.publicTerm('type', maxCharacters.promptType)?.toLowerCase() ?? 'text',
    topics: fields.topics('topics'),
    author,
    url: fields.address('url'),
    license: fields.license('license'),
    createdAt: fields.time('createdAt'),
    updatedAt: fields.time('updatedAt'),
    ...mapLifecycle(fields),
  }
  return { id, fields: mapped, ...(titleId === undefined ? {} : { titleId }) }
}

/** Its id, else the key, else an id that is made from its title, and its author or content: titles are not unique. */
function identify(
  fields: PromptFields,
  key: unknown,
  prompt: Parameters<typeof promptIdentity>[0],
): { id: string | null; titleId?: string } {
  const id = fields.term('id') ?? (key === undefined ? null : cleanLine(inText(key)))
  if (id !== null) {
    return { id: publicPromptId(id) }
  }
  const title = fields.line('title')
  if (title === null) {
    return { id: fields.problem(fields.refused.get('title') ?? 'title: is missing') }
  }
  const identity = promptIdentity(prompt)
  return { id: identity === null ? null : promptId(title, identity), titleId: promptId(title) }
}

function readAuthor(fields: PromptFields): string | null {
  const authors = fields.given('author').filter(({ value }) => !isNoValue(value))
  const author = findHandle(authors.map(({ value }) => value))
  const [given] = authors
  if (author === null && given !== undefined) {
    fields.drop(`${given.name}: must be a user's name without spaces, and no e-mail address, not ${brief(given.value)}`)
  }
  return author
}
