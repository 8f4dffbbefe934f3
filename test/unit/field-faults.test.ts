import { expect, test } from '@jest/globals'
import { faultInWords, faultsInWords } from '../../shared/records/field-schemas.js'
import { storedSchemas } from '../../shared/records/schemas.js'
import { aSkill } from '../support/factories.js'

test.each([
  ['a field that is absent', { owner: undefined }, 'owner: is missing'],
  ['an absent field of few values', { state: undefined }, 'state: is missing'],
  ['text for a number', { stars: 'many' }, 'stars: must be a number, not text'],
  ['a fraction for a whole number', { forks: 1.5 }, 'forks: must be a whole number, not a fraction'],
  ['null for text', { name: null }, 'name: must be text, not null'],
  ['text for a list', { topics: 'pdf' }, 'topics: must be a list, not text'],
  ['a number within a list', { topics: ['pdf', 7] }, 'topics.1: must be text, not a number'],
  ['an object for a flag', { archived: {} }, 'archived: must be true or false, not an object'],
  ['a repository of other characters', { repo: 'to ol' }, expect.stringMatching(/^repo: must be 1 to 100 letters/)],
  ['two faults', { owner: undefined, stars: [] }, 'owner: is missing; stars: must be a number, not a list'],
  ['an address that a browser would run', { homepage: 'javascript:alert(1)' }, expect.stringMatching(/^homepage: /)],
])('%s is reported in plain words', (_what, fields, reason) => {
  const parsed = storedSchemas.skills.safeParse({ ...aSkill({ repo: 'tool' }), ...fields }, { error: faultInWords })

  expect(parsed.error && faultsInWords(parsed.error)).toEqual(reason)
})
