import type { FieldOf } from '../records/field-names.js'
import { maxCharacters } from '../records/limits.js'
import { cleanLine } from '../text/clean-text.js'
import { inText } from '../text/in-text.js'
import { findHandle } from '../text/personal-addresses.js'
import { promptId, publicPromptId } from '../text/prompt-id.js'
import { brief, type FieldReader } from './field-reader.js'
import { mapLifecycle } from './map-lifecycle.js'
import type { MappedFields } from './mapped-fields.js'

type PromptFields = FieldReader<FieldOf<'prompts'>>

/** @param key identifies the prompt where no field does, see `mapFields` */
export function mapPrompt(fields: PromptFields, key: unknown): MappedFields {
  const id = identify(fields, key)
  const mapped = {
    id,
    title: fields.publicLine('title', maxCharacters.promptTitle),
    description: fields.text('description', maxCharacters.description),
    content: fields.wholeText('content', maxCharacters.promptContent),
    type: fields.publicLine('type', maxCharacters.promptType)?.toLowerCase() ?? 'text',
    topics: fields.topics('topics'),
    author: readAuthor(fields),
    url: fields.address('url'),
    license: fields.license('license'),
    createdAt: fields.time('createdAt'),
    updatedAt: fields.time('updatedAt'),
    ...mapLifecycle(fields),
  }
  return { id, fields: mapped }
}

/** Its id, else the key, else an id that is made from its title. */
function identify(fields: PromptFields, key: unknown): string | null {
  const id = fields.line('id') ?? (key === undefined ? null : cleanLine(inText(key)))
  if (id !== null) {
    return publicPromptId(id)
  }
  const title = fields.line('title')
  return title === null ? fields.problem('title: is missing') : promptId(title)
}

function readAuthor(fields: PromptFields): string | null {
  const author = findHandle(fields.all('author'))
  const [given] = fields.given('author')
  if (author === null && given !== undefined) {
    fields.drop(`${given.name}: must be a user's name without spaces, and no e-mail address, not ${brief(given.value)}`)
  }
  return author
}
