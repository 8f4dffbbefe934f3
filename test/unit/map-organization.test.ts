import { expect, test } from '@jest/globals'
import { mapRecord } from '../../services/indexer/import/map-record.js'

const map = (source: Record<string, unknown>): Record<string, unknown> => {
  const mapped = mapRecord('organizations', source)
  return 'reason' in mapped ? { reason: mapped.reason } : mapped.record
}

test.each<[service: string, source: Record<string, unknown>, read: object]>([
  [
    'GitLab',
    {
      ...{ id: 1, name: 'Acme Labs', path: 'acme', full_name: 'Acme Labs', full_path: 'acme' },
      web_url: 'https://gitlab.com/groups/acme',
    },
    { login: 'acme', name: 'Acme Labs', url: 'https://gitlab.com/groups/acme' },
  ],
  [
    'Forgejo',
    { name: 'acme', username: 'acme', full_name: 'Acme Labs', website: '', visibility: 'limited' },
    { login: 'acme', name: 'Acme Labs', state: 'hidden' },
  ],
  ['Hugging Face', { name: 'acme', fullname: 'Acme Labs' }, { login: 'acme', name: 'Acme Labs' }],
  [
    'a site with an object for each address',
    {
      login: 'acme',
      logo: { '@type': 'ImageObject', url: 'https://acme.example/a.png' },
      url: { href: 'acme.example' },
    },
    { avatarUrl: 'https://acme.example/a.png', url: 'https://acme.example' },
  ],
  [
    'a table with the address of its page',
    { Organization: 'Acme Labs', GitHub: 'https://github.com/Acme/' },
    { login: 'acme', name: 'Acme Labs', url: 'https://github.com/Acme/' },
  ],
  ['a table with its name alone', { Organization: 'Acme' }, { login: 'acme', name: 'Acme' }],
  ['a table of GitHub', { 'organization.login': 'acme', 'organization.name': 'A' }, { login: 'acme', name: 'A' }],
  ['a service without full names', { login: 'acme', name: 'Acme', full_name: null }, { name: 'Acme' }],
])('an organization at %s is read', (_service, source, read) => {
  expect(map(source)).toMatchObject(read)
})

test('a group within a group, and a repository, are no organizations', () => {
  expect(map({ name: 'Tools', full_name: 'Acme / Tools', full_path: 'acme/tools' })).toEqual({
    reason: expect.stringMatching(/^login: .* not "acme\/tools"$/),
  })
  expect(map({ name: 'kit', full_name: 'acme/kit', owner: { login: 'acme' }, private: true })).toEqual({
    reason: 'full_name: must be the name of an organization, not of a repository: "acme/kit"',
  })
})
