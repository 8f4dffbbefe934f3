import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { ObjectId } from 'mongodb'
import { documentToStored } from '../../shared/adapters/servers/mongo-document.js'
import { deriveOwnMember } from '../../shared/adapters/servers/mongo-own-member.js'
import { defaultDocumentSettings } from '../../shared/document-settings.js'
import { recordTypes, storedSchemas } from '../../shared/records/records.js'

const anyValue = fc.oneof(
  fc.jsonValue(),
  fc.date({ noInvalidDate: false }),
  fc.string({ unit: 'binary' }),
  // An object that cannot be read as text.
  fc.constant({ toString: '' }),
  fc.constantFrom('acme', 'acme/pdf', 'true', 1e300, Number.NaN, new ObjectId()),
)

test.each(recordTypes)('whatever a document of %s holds, it is taken in: as what it says, or as rejected', (type) => {
  const names = Object.values(defaultDocumentSettings.fields[type]).flat()
  const anyDocument = fc.dictionary(fc.oneof(fc.constantFrom('_id', ...names), fc.string()), anyValue)

  fc.assert(
    fc.property(anyDocument, (document) => {
      const own = deriveOwnMember(type, { _id: 'acme/pdf', ...document }, defaultDocumentSettings)

      const stored = documentToStored(type, { _id: 'acme/pdf', ...document }, defaultDocumentSettings.fields)
      if (own.state === 'published') {
        expect(storedSchemas[type].safeParse(stored).error).toBeUndefined()
      } else {
        expect(['hidden', 'removed', 'rejected']).toContain(own.state)
      }
    }),
    { numRuns: 300 },
  )
})
