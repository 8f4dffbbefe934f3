import { longestDescription } from '../../../shared/records/fields.js'
import { longestContent, longestType } from '../../../shared/records/prompt.js'
import { findHandle } from '../../../shared/text/personal-addresses.js'
import { promptId, publicPromptId } from '../../../shared/text/prompt-id.js'
import type { FieldOf } from './field-names.js'
import { brief, type FieldReader } from './field-reader.js'
import { mapLifecycle } from './map-lifecycle.js'

type PromptFields = FieldReader<FieldOf<'prompts'>>

/** The fields of a prompt that a source's record tells; null when it does not tell which prompt it is. */
export function mapPrompt(fields: PromptFields): ({ id: string } & Record<string, unknown>) | null {
  const [given, title] = [fields.line('id'), fields.line('title')]
  if (given === null && title === null) {
    return fields.problem('title: is missing')
  }
  return {
    id: given === null ? promptId(title ?? '') : publicPromptId(given),
    title: fields.publicLine('title', 300),
    description: fields.text('description', longestDescription),
    content: fields.wholeText('content', longestContent),
    type: fields.publicLine('type', longestType)?.toLowerCase() ?? 'text',
    topics: fields.topics('topics'),
    author: readAuthor(fields),
    url: fields.address('url'),
    license: fields.license('license'),
    createdAt: fields.time('createdAt'),
    updatedAt: fields.time('updatedAt'),
    ...mapLifecycle(fields),
  }
}

function readAuthor(fields: PromptFields): string | null {
  const author = findHandle(fields.all('author'))
  const [given] = fields.given('author')
  if (author === null && given !== undefined) {
    fields.drop(`${given.name}: must be a user's name without spaces, and no e-mail address, not ${brief(given.value)}`)
  }
  return author
}
