import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { mapRecord } from '../../services/indexer/import/map-record.js'
import { documentToStored } from '../../shared/adapters/servers/mongo/catalog/document.js'
import { defaultDocumentSettings } from '../../shared/records/document-settings.js'
import { documentNames } from '../../shared/records/field-names.js'
import { type RecordType, recordId, recordTypes, type StoredRecords } from '../../shared/records/records.js'
import { publicSchemas } from '../../shared/records/schemas.js'
import { isSameRecord } from '../../shared/write-outcome.js'

/** Values that fields understand, and others. */
const anyValue = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.array(fc.string(), { maxLength: 4 }),
  fc.constantFrom(
    'acme',
    'Acme/Tool',
    '@acme',
    '##pdf, #ocr',
    'MIT',
    'true',
    '2026-01-02',
    'hidden',
    'jane@mail.example',
  ),
  fc.constantFrom('https://github.com/Acme/Tool.git.git', 'git+ssh://git@github.com/a/b', 'http://a@b@c.example/'),
  fc.constantFrom(7, 1_769_567_577, true, null, { login: 'Acme' }, { spdx_id: 'MIT' }, { $numberLong: '7' }, ['#a', 1]),
)

const complete: Record<RecordType, Record<string, unknown>> = {
  skills: { owner: 'acme', repo: 'tool' },
  prompts: { title: 'Poet', content: 'Write.' },
  organizations: {},
}

/** Without these a document is identified by its `_id`, which a record of an import need not have. */
const identity: Record<RecordType, Record<string, unknown>> = {
  skills: {},
  prompts: { id: 'poet' },
  organizations: { login: 'acme' },
}

/**
 * The names of the table but those that an import reads as more than a document: the folder and the `slug` of a
 * registry's row, which name a skill while a document keeps its id, and `organization`, the name of an organization,
 * which in a document only says who may see it.
 */
const namesOf = (type: RecordType) =>
  Object.entries<readonly string[]>(documentNames[type])
    .flatMap(([field, names]) => (field === 'path' ? [] : names))
    .filter((name) => !(type === 'skills' && name === 'slug') && !(type === 'organizations' && name === 'organization'))

/** Records of any values under a few of these names. */
const anyInput = (type: RecordType) =>
  fc
    .dictionary(fc.constantFrom(...namesOf(type)), anyValue, {
      maxKeys: 3,
    })
    .map((members) => ({ ...complete[type], ...members, ...identity[type] }))

const read = (type: RecordType, document: Record<string, unknown>) =>
  documentToStored(type, { _id: 'a-key', ...document }, defaultDocumentSettings)

const publicFields = (type: RecordType, record: Record<string, unknown>) =>
  Object.fromEntries(Object.keys(publicSchemas[type].shape).map((field) => [field, record[field]]))

test.each(recordTypes)('an accepted record of %s is the same as a document', (type) => {
  let accepted = 0
  fc.assert(
    fc.property(anyInput(type), (input) => {
      const mapped = mapRecord(type, input)
      if ('record' in mapped) {
        accepted += 1
        const stored = read(type, input)
        expect(publicFields(type, stored)).toEqual(publicFields(type, mapped.record))
        expect([stored['state'], stored['removedAt']]).toEqual([mapped.record.state, mapped.record.removedAt])
      }
    }),
    { numRuns: 500 },
  )
  expect(accepted).toBeGreaterThan(50)
})

test.each(recordTypes)('an imported record of %s is what its document is read as', (type) => {
  fc.assert(
    fc.property(anyInput(type), (input) => {
      const mapped = mapRecord(type, input)
      if ('record' in mapped) {
        const { indexedAt: _ours, ...document }: Record<string, unknown> = mapped.record
        const stored = read(type, document)
        expect(recordId(type, stored as StoredRecords[RecordType])).toBe(mapped.id)
        expect({ stored, same: isSameRecord(stored, mapped.record) }).toMatchObject({ same: true })
      }
    }),
    { numRuns: 500 },
  )
})
