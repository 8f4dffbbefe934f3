import { expect, test } from '@jest/globals'
import { mapRecord } from '../../services/indexer/import/map-record.js'

test("GitHub's field names are supported", () => {
  const mapped = mapRecord('organizations', {
    login: 'Acme',
    id: 9,
    name: 'Acme Works',
    url: 'https://api.github.com/orgs/Acme',
    html_url: 'https://github.com/Acme',
    avatar_url: 'https://avatars.example/9.png',
    bio: 'We make anvils.',
    email: 'info@mail.example',
    created_at: '2020-01-01T00:00:00Z',
  })

  expect(mapped).toEqual({
    id: 'acme',
    hasState: false,
    dropped: [],
    record: {
      login: 'acme',
      name: 'Acme Works',
      description: 'We make anvils.',
      url: 'https://github.com/Acme',
      avatarUrl: 'https://avatars.example/9.png',
      createdAt: '2020-01-01T00:00:00.000Z',
      updatedAt: null,
      state: 'published',
      removedAt: null,
      id: 9,
      email: 'info@mail.example',
    },
  })
})

test('a name that is a valid login replaces a missing login', () => {
  expect(mapRecord('organizations', { name: 'Acme' })).toMatchObject({ id: 'acme' })
})

test.each([
  [{}, /^login: is missing$/],
  [{ name: 'Acme Works' }, /^login: must be .*, not "acme works"$/],
])('%j is rejected', (source, reason) => {
  expect(mapRecord('organizations', source)).toEqual({ id: null, reason: expect.stringMatching(reason) })
})
