import { describe, expect, test } from '@jest/globals'
import { mapRecord } from '../../services/indexer/import/map-record.js'
import { documentToStored } from '../../shared/adapters/servers/mongo/catalog/document.js'
import { deriveRow } from '../../shared/adapters/servers/mongo/ingest/derive-row.js'
import { defaultDocumentSettings } from '../../shared/records/document-settings.js'
import { maxCharacters } from '../../shared/records/fields.js'
import type { RecordType } from '../../shared/records/records.js'
import { publicSchemas } from '../../shared/records/schemas.js'

/** The public fields of a record as an import stores it. */
function imported(type: RecordType, source: Record<string, unknown>): Record<string, unknown> {
  const mapped = mapRecord(type, source)
  return publicFields(type, 'reason' in mapped ? { reason: mapped.reason } : { ...mapped.record })
}

/** The public fields of another application's document. */
const read = (type: RecordType, source: Record<string, unknown>): Record<string, unknown> =>
  publicFields(type, documentToStored(type, { _id: 'any', ...source }, defaultDocumentSettings))

const publicFields = (type: RecordType, record: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(record).filter(([field]) => field in publicSchemas[type].shape))

describe.each([
  ['an imported record', imported],
  ['a document of another application', read],
])('%s publishes no address, no credentials and no hidden text', (_, publish) => {
  test('as the author of a prompt, also with a character reference for the sign', () => {
    const authors = ['jane&#64;mail.example', 'jane&amp;#64;mail.example; kim', 'jane&commat;mail']

    expect(
      authors.map((author) => publish('prompts', { id: 'poem', title: 'Poem', content: 'x', author })['author']),
    ).toEqual([null, 'kim', null])
  })

  test('as the id of a prompt, with a different one for each', () => {
    const prompts = ['jane@mail.example', 'kim@mail.example', 'Jane@mail.example'].map((id) =>
      publish('prompts', { id, title: 'Poem', content: `By ${id}.`, topics: [id], author: id, url: `mailto:${id}` }),
    )

    const ids = prompts.map((prompt) => prompt['id'])
    expect(new Set(ids).size).toBe(2)
    expect(ids[2]).toBe(ids[0])
    expect(JSON.stringify(prompts)).not.toMatch(/jane|kim|mail\.example/i)
  })

  test('where a long text is shortened', () => {
    const { description } = publish('skills', {
      owner: 'acme',
      repo: 'pdf',
      description: `${'x '.repeat(4_990)}jane.a.very.long.name@mail.example`,
    })

    expect(String(description).slice(-22)).toBe('x x (address removed)…')
  })

  test('with the same result each time', () => {
    const once = publish('skills', { owner: 'acme', repo: 'pdf', name: 'a@b@c.org, 写信到用户@例子.公司 x(at)y.org' })

    expect(publish('skills', once)).toEqual(once)
  })

  const text =
    'Ask ja\u{e0041}ne\u{1d173}@mail\u{1bca0}.ex\ufff9ample\u{e0069}\u{e0067} at https:///user:s3cret@10.0.0.5/x'
  const shown = 'Ask (address removed) at https:///10.0.0.5/x'
  const address = 'https:///us\u{e0041}er:s3cret@10.0.0.5/x?access_token=s3cret'
  const shownAddress = 'https://10.0.0.5/x?access_token='

  test('of a skill', () => {
    const skill = publish('skills', {
      owner: 'ac\u200bme',
      repo: 'pdf\u{e0041}',
      name: text,
      description: text,
      topics: ['p\u00addf', text],
      license: text,
      language: text,
      version: text,
      homepage: address,
      url: address,
    })

    const line = { name: shown, license: shown, language: shown, version: shown }
    expect(skill).toMatchObject({ id: 'acme/pdf', owner: 'acme', repo: 'pdf', description: shown, ...line })
    expect(skill).toMatchObject({ topics: ['pdf'], homepage: shownAddress, url: shownAddress })
  })

  test('of a prompt', () => {
    const prompt = publish('prompts', {
      id: 'po\u200bem',
      title: text,
      description: text,
      content: text,
      type: text,
      topics: [text],
      author: 'ja\u{e0041}ne',
      url: address,
    })

    expect(prompt).toMatchObject({ id: 'poem', title: shown, description: shown, content: shown, topics: [] })
    expect(prompt).toMatchObject({ author: 'jane', url: shownAddress })
  })

  test('of an organization', () => {
    const organization = publish('organizations', {
      login: 'ac\u2066me',
      name: text,
      description: text,
      url: address,
      avatarUrl: address,
    })

    expect(organization).toMatchObject({ login: 'acme', name: shown, description: shown })
    expect(organization).toMatchObject({ url: shownAddress, avatarUrl: shownAddress })
  })
})

test('a document is identified by its _id without invisible characters', () => {
  const documents = (['prompts', 'organizations', 'skills'] as const).map((type) =>
    documentToStored(type, { _id: 'acme/p\u200bdf'.slice(type === 'organizations' ? 5 : 0) }, defaultDocumentSettings),
  )

  expect(documents).toMatchObject([{ id: 'acme/pdf' }, { login: 'pdf' }, { id: 'acme/pdf' }])
})

test('a message about a dropped value has no credentials', () => {
  const mapped = mapRecord('skills', { id: 'acme/pdf', homepage: '//user:s3cret@acme.example' })

  expect(mapped).toMatchObject({ dropped: [expect.stringContaining('//acme.example')] })
  expect(JSON.stringify(mapped)).not.toContain('s3cret')
})

describe('the content of a prompt is not shortened', () => {
  test('at its maximum length it is published', () => {
    const content = 'x'.repeat(maxCharacters.promptContent)

    expect(imported('prompts', { title: 'Long', content })).toMatchObject({ content })
    expect(read('prompts', { title: 'Long', content })).toMatchObject({ content })
  })

  test('with one character more it is rejected', () => {
    const source = { title: 'Long', content: 'x'.repeat(maxCharacters.promptContent + 1) }

    expect(mapRecord('prompts', source)).toMatchObject({ reason: 'content: must have at most 200,000 characters' })
    expect(deriveRow('prompts', { _id: 'long', ...source }, defaultDocumentSettings).state).toBe('rejected')
  })
})
