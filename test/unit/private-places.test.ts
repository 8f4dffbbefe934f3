import { describe, expect, test } from '@jest/globals'
import { mapRecord, parseRecord } from '../../services/indexer/import/map-record.js'
import { documentToStored } from '../../shared/adapters/servers/mongo/catalog/document.js'
import { defaultDocumentSettings } from '../../shared/records/document-settings.js'
import { mapDocument } from '../support/source-items.js'

type Input = Record<string, unknown>

/** The state of a skill in an import and as a document. */
function statesOf(input: Input): unknown[] {
  const skill = { full_name: 'acme/tool', ...input }
  const parsed = parseRecord(JSON.stringify(skill))
  const mapped = 'record' in parsed ? mapRecord('skills', parsed.record) : parsed
  const document = documentToStored('skills', { _id: 'a', ...skill }, defaultDocumentSettings)
  return ['record' in mapped ? mapped.record.state : mapped.reason, document['state']]
}

describe('a skill is hidden by what it lies in', () => {
  test.each<[input: Input]>([
    // As Azure DevOps has a repository, and Forgejo the owner of one.
    [{ project: { name: 'Tools', state: 'wellFormed', visibility: 'private' } }],
    [{ owner: { login: 'acme', active: false, visibility: 'limited' } }],
    [{ workspace: { slug: 'acme', is_private: true } }],
    [{ namespace: { path: 'acme', visibility: 'internal' } }],
    [{ group: { isPublic: false } }],
    [{ organization: { login: 'acme', private: 'yes' } }],
    [{ repository: { url: 'https://github.com/acme/tool', project: { visibility: 'private' } } }],
    [{ source: { kind: 'git', private: true } }],
    [{ settings: { visibility: 'PRIVATE' } }],
    [{ access: { public: false } }],
    [{ publishConfig: { access: 'restricted' } }],
    [{ project_visibility: 'private' }],
    [{ workspaceIsPrivate: true }],
  ])('%p', (input) => {
    expect(statesOf(input)).toEqual(['hidden', 'hidden'])
  })

  test('also where that is around its repository, or around a list', async () => {
    expect(statesOf({ source: { repo: 'acme/tool', visibility: 'private' } })[0]).toBe('hidden')
    const answer = { project: { visibility: 'private' }, value: [{ full_name: 'acme/tool' }] }
    const records = await mapDocument(answer)

    expect(records).toMatchObject([{ id: 'acme/tool', state: 'hidden' }])
  })

  test('which is stored without it: an operator may publish it', () => {
    const mapped = mapRecord('skills', { full_name: 'acme/tool', project: { id: 4, visibility: 'private' } })

    expect(mapped).toMatchObject({ record: { state: 'hidden', project: { id: 4 } } })
    expect('record' in mapped && mapped.record).not.toHaveProperty('project.visibility')
  })
})

describe('a skill is hidden by a word that stands alone', () => {
  test.each<[input: Input]>([
    [{ scope: 'private' }],
    [{ audience: 'Internal use only' }],
    [{ classification: 'Confidential' }],
    [{ stage: 'DRAFT' }],
    [{ access_type: 'private' }],
    [{ content_status: 'draft' }],
    [{ visibilityStatus: 'hidden' }],
    [{ internal_only: true }],
    [{ isShown: 'no' }],
    [{ status: { label: 'Draft' } }],
    [{ sharing: { mode: 'private' } }],
    // As Parse has the rights to read an object.
    [{ ACL: { u1: { read: true, write: true } } }],
    // As Appwrite has them, and Strapi a draft.
    [{ permissions: ['read("user:1")', 'update("users")'] }],
    [{ documentId: 'k9', publishedAt: null }],
    // As spreadsheets in other languages have a flag.
    [{ Privat: 'ja' }],
    [{ Privé: 'VRAI' }],
    [{ 非公開: 'はい' }],
  ])('%p', (input) => {
    expect(statesOf(input)).toEqual(['hidden', 'hidden'])
  })
})

test.each<[state: string, around: Input]>([
  ['hidden', { id: 1, attributes: { full_name: 'acme/tool', publishedAt: null } }],
  ['published', { id: 1, attributes: { full_name: 'acme/tool', publishedAt: '2026-01-02T03:04:05Z' } }],
  // As AWS DMS has a change of a row.
  ['removed', { data: { full_name: 'acme/tool' }, metadata: { 'record-type': 'data', operation: 'delete' } }],
  ['published', { data: { full_name: 'acme/tool' }, metadata: { 'record-type': 'data', operation: 'load' } }],
])('%s by what is around it: %p', (state, around) => {
  const parsed = parseRecord(JSON.stringify(around))

  expect('record' in parsed && mapRecord('skills', parsed.record)).toMatchObject({ record: { state } })
})

test.each<[input: Input]>([
  [{ topics: ['private', 'internal'], category: 'private' }],
  [{ project: { name: 'private', status: 'paused', visibility: 'maroon' } }],
  [{ owner: { login: 'acme', state: 'blocked', active: false, visibility: 'public' } }],
  [{ project: 'private', group: 'internal', settings: 'hidden', labels: ['private'] }],
  [{ access: { level: 30 }, permissions: { admin: false }, acl: ['read'], settings: { private: null } }],
  [{ scope: 'private repositories', audience: 'team', stage: 'private preview', availability: 'offline' }],
  [{ ACL: { '*': { read: true }, u1: { write: true } } }],
  [{ status: { label: 'Published' }, stats: { private: 1 } }],
  [{ source: { kind: 'git', status: 'deleted' } }],
  [{ $permissions: ['read("any")'], permissions: ['internal'] }],
  [{ publishedAt: null, Privat: 'nein', privé: 'faux' }],
])('a skill stays published with %p', (input) => {
  expect(statesOf(input)).toEqual(['published', 'published'])
})
