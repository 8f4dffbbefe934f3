import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { ObjectId } from 'mongodb'
import { documentToStored } from '../../shared/adapters/servers/mongo/catalog/document.js'
import { deriveRow } from '../../shared/adapters/servers/mongo/ingest/derive-row.js'
import { defaultDocumentSettings } from '../../shared/records/document-settings.js'
import { recordTypes } from '../../shared/records/records.js'
import { storedSchemas } from '../../shared/records/schemas.js'

const anyValue = fc.oneof(
  fc.jsonValue(),
  fc.date({ noInvalidDate: false }),
  fc.string({ unit: 'binary' }),
  // An object that cannot be converted to text.
  fc.constant({ toString: '' }),
  fc.constantFrom('acme', 'acme/pdf', 'true', 1e300, Number.NaN, new ObjectId()),
)

test.each(recordTypes)('a document of %s with any fields is ingested, as it says or as rejected', (type) => {
  const names = Object.values(defaultDocumentSettings.fields[type]).flat()
  const anyDocument = fc.dictionary(fc.oneof(fc.constantFrom('_id', ...names), fc.string()), anyValue)

  fc.assert(
    fc.property(anyDocument, (document) => {
      const derived = deriveRow(type, { _id: 'acme/pdf', ...document }, defaultDocumentSettings)

      const stored = documentToStored(type, { _id: 'acme/pdf', ...document }, defaultDocumentSettings)
      if (derived.state === 'published') {
        expect(storedSchemas[type].safeParse(stored).error).toBeUndefined()
      } else {
        expect(['hidden', 'removed', 'rejected']).toContain(derived.state)
      }
    }),
    { numRuns: 300 },
  )
})
