import { expect, test } from '@jest/globals'
import { AnswerPages } from '../../services/indexer/import/answer-pages.js'
import { readJson } from '../../services/indexer/import/read-json.js'
import type { RecordType } from '../../shared/records/records.js'
import { inPieces, mapAll, mapDocument } from '../support/source-items.js'

const one = { nameWithOwner: 'acme/one', repositoryTopics: { nodes: [{ topic: { name: 'pdf' } }] } }
const two = { nameWithOwner: 'acme/two', isPrivate: true }
const bothSkills = [
  { id: 'acme/one', topics: ['pdf'], state: 'published' },
  { id: 'acme/two', state: 'hidden' },
]
const kit = {
  nameWithOwner: 'acme/kit',
  isPrivate: true,
  skills: { entries: [{ name: 'pdf', path: 'skills/pdf', type: 'tree' }] },
}
const noKit = {
  nameWithOwner: 'acme/none',
  skills: { nodes: [] },
  skillMd: { text: '---\nhidden: true\n---\n# None\n' },
}
const kitSkills = [
  { id: 'acme/kit@pdf', path: 'skills/pdf', state: 'hidden' },
  { id: 'acme/none', digest: expect.stringMatching(/^sha256:/), state: 'hidden' },
]
const organization = { login: 'acme', name: 'Acme' }

test.each<[what: string, type: RecordType, answer: object, records: object[]]>([
  ['a single one', 'skills', { data: { repository: one } }, bothSkills.slice(0, 1)],
  ['several queries', 'skills', { data: { a: one, b: two } }, bothSkills],
  ['with the limit of requests', 'skills', { data: { rateLimit: { remaining: 9 }, a: one, b: two } }, bothSkills],
  ['repositories with their skills, by queries', 'skills', { data: { a: kit, b: noKit } }, kitSkills],
  ['repositories with their skills, in a list', 'skills', { data: { search: { nodes: [kit, noKit] } } }, kitSkills],
  [
    'a repository with the nodes of its skills',
    'skills',
    { data: { repository: { ...one, skills: { edges: [{ node: { name: 'docx', description: 'Writes.' } }] } } } },
    [{ id: 'acme/one@docx', description: 'Writes.' }],
  ],
  [
    'one that is missing',
    'skills',
    { data: { a: one, b: null, c: two }, errors: [{ message: 'Could not resolve', path: ['b'] }] },
    [bothSkills[0] ?? {}, { reason: 'is not a JSON object' }, bothSkills[1] ?? {}],
  ],
  ['an organization', 'organizations', { data: { organization } }, [organization]],
  [
    'the organizations of a user',
    'organizations',
    { data: { viewer: { login: 'jane', organizations: { nodes: [organization] } } } },
    [organization],
  ],
  [
    'the same by edges, and a prompt in several languages',
    'prompts',
    {
      data: {
        user: { id: 7, prompts: { edges: [{ node: { id: 'x', title: { en: 'X' }, content: { en: 'Be X.' } } }] } },
      },
    },
    [{ id: 'x', title: 'X', content: 'Be X.' }],
  ],
])('an answer of GraphQL: %s', async (_what, type, answer, records) => {
  expect(await mapDocument(answer, type)).toEqual(records.map((record) => expect.objectContaining(record)))
})

test('an answer of GraphQL with nothing but an error is none', async () => {
  expect(await mapDocument({ data: { repository: null }, errors: [{ message: 'Could not resolve' }] })).toEqual([
    { reason: expect.stringContaining('it is the error that a service answered') },
  ])
})

test.each([
  ['another one', { pageInfo: { hasNextPage: true }, nodes: [one] }, 'there is another page'],
  ['another one, after its list', { nodes: [one], pageInfo: { hasNextPage: true } }, 'there is another page'],
  ['their number', { totalCount: 50, nodes: [one] }, 'there are 50 records, and have 1'],
  ['the number of a search', { repositoryCount: 50, nodes: [one] }, 'there are 50 records, and have 1'],
  ['none', { totalCount: 1, pageInfo: { hasNextPage: false }, nodes: [one] }, null],
])('an answer of GraphQL says of further pages: %s', async (_what, repositories, missing) => {
  const pages = new AnswerPages()
  const answer = JSON.stringify({ data: { organization: { login: 'acme', repositories } } })

  const read = await mapAll(readJson(inPieces(answer, 5), 'skills', pages))

  expect(pages.missing(read.length)).toEqual(missing === null ? null : expect.stringContaining(missing))
})
