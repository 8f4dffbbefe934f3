import { expect, test } from '@jest/globals'
import { deriveRow } from '../../shared/adapters/servers/mongo/ingest/derive-row.js'
import { defaultDocumentSettings } from '../../shared/records/document-settings.js'

test.each([
  ['skills', 'one without an identity', { description: 'Reads.' }, /^it does not say whose it is: it needs owner and/],
  [
    'skills',
    'a repository of other characters',
    { owner: 'acme', repo: 'to ol' },
    /^repo: must be 1 to 100 .+"to ol"$/,
  ],
  [
    'skills',
    'a state of no meaning',
    { full_name: 'acme/pdf', state: 'odd' },
    /^state: must say whether .+, not "odd"$/,
  ],
  [
    'skills',
    'a flag of no meaning',
    { full_name: 'acme/pdf', hidden: 'odd' },
    /^hidden: must say whether .+, not "odd"$/,
  ],
  ['prompts', 'two fields that are absent', {}, /^title: is missing; content: is missing$/],
  [
    'prompts',
    'a value of another type',
    { title: 'Poet', content: { a: 1 } },
    /^content: must be text, not \{"a":1\}$/,
  ],
] as const)('of %s, %s is rejected in the words of an import', (type, _what, document, reason) => {
  expect(deriveRow(type, { _id: 'k', ...document }, defaultDocumentSettings)).toMatchObject({
    state: 'rejected',
    reason: expect.stringMatching(reason),
  })
})
