import { findHandle } from '../privacy/personal-addresses.js'
import type { FieldOf } from '../records/field-names.js'
import { isSegment, maxCharacters, segmentRule } from '../records/fields.js'
import type { RecordType } from '../records/records.js'
import { cleanLine, inText, shorten } from '../text/clean-text.js'
import { promptId, promptIdentity, publicPromptId } from '../text/prompt-id.js'
import { brief, FieldReader, inLanguage } from './field-reader.js'
import { type FieldValues, isNoValue, type MappedFields } from './field-values.js'
import { mapLifecycle, saysPublished } from './map-lifecycle.js'
import { mapSkill } from './map-skill.js'
import { splitFullName } from './web-address.js'

type OrganizationFields = FieldReader<FieldOf<'organizations'>>

/** @param key identifies the organization where no field does, see `mapFields` */
function mapOrganization(fields: OrganizationFields, key: unknown): MappedFields {
  const login = readLogin(fields, key)
  const isLogin = login !== null && isSegment(login)
  if (!isLogin) {
    fields.problem(
      login === null ? 'login: is missing' : `login: ${segmentRule}, not ${JSON.stringify(shorten(login, 60))}`,
    )
  }
  const fullName = fields.publicLine('otherName', maxCharacters.organizationName)
  if (fullName !== null && splitFullName(fullName) !== null) {
    const [given] = fields.given('otherName')
    fields.problem(`${given?.name}: must be the name of an organization, not of a repository: ${brief(fullName)}`)
  }
  const name = fields.publicLine('name', maxCharacters.organizationName)
  const mapped = {
    login,
    // Some services have the login in the place of the name.
    name: name === null || name.toLowerCase() === login ? (fullName ?? name) : name,
    description: fields.text('description', maxCharacters.description),
    url: fields.address('url'),
    avatarUrl: fields.address('avatarUrl'),
    createdAt: fields.time('createdAt'),
    updatedAt: fields.time('updatedAt'),
    ...mapLifecycle(fields, fields.all('repository')),
  }
  return { id: isLogin ? login : null, fields: mapped }
}

/** The login of an organization: its own, else a key that is text, else its name, else any key. */
function readLogin(fields: OrganizationFields, key: unknown): string | null {
  const login = fields.line('login') ?? (typeof key === 'string' ? cleanLine(key) : fields.line('name'))
  return (login ?? (key === undefined ? null : cleanLine(inText(key))))?.replace(/^@/, '').toLowerCase() ?? null
}

type PromptFields = FieldReader<FieldOf<'prompts'>>

/** @param key identifies the prompt where no field does, see `mapFields` */
function mapPrompt(fields: PromptFields, key: unknown): MappedFields {
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
    ...mapLifecycle(fields, fields.all('repository')),
  }
  return { id, titleId, fields: mapped }
}

/** The values of a prompt, with its texts in one of the languages that an object has. */
const inOneLanguage =
  (given: FieldValues<string>): FieldValues<string> =>
  (field) =>
    field === 'title' || field === 'content'
      ? given(field).map(({ name, value }) => ({ name, value: inLanguage(value) }))
      : given(field)

/** The id of a prompt: its own, else the key, else one of its title and author or content: titles are not unique. */
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

/** The fields of a record, and what the reader noted about their values. */
export interface ReadFields extends MappedFields, Pick<FieldReader<string>, 'problems' | 'refused' | 'dropped'> {
  /** Whether the input itself says that the record is published. */
  hasState: boolean
}

/**
 * Reads the fields of a record of any input: of an import, or a document of another application. Never throws; the same
 * input gives the same.
 *
 * @param given finds the values of a field
 * @param key identifies the record where no field does: a document's `_id`; undefined for none
 */
export function mapFields(type: RecordType, given: FieldValues<string>, key?: unknown): ReadFields {
  const fields = new FieldReader(type === 'prompts' ? inOneLanguage(given) : given)
  const mapped = mappers[type](fields, key)
  const { problems, refused, dropped } = fields
  return { ...mapped, problems, refused, dropped, hasState: saysPublished(given) }
}

const mappers = { skills: mapSkill, prompts: mapPrompt, organizations: mapOrganization }
