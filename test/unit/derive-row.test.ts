import { describe, expect, test } from '@jest/globals'
import type { Document } from 'mongodb'
import { deriveRow } from '../../shared/adapters/servers/mongo/ingest/derive-row.js'
import { claimIds, draftRows, readSource } from '../../shared/adapters/servers/mongo/ingest/plan-rows.js'
import type { Row } from '../../shared/adapters/servers/mongo/rows.js'
import { defaultDocumentSettings as settings } from '../../shared/records/document-settings.js'
import type { RecordType } from '../../shared/records/records.js'
import { aSkill } from '../support/factories.js'

const now = new Date('2026-03-01T12:00:00.000Z')
const later = new Date('2026-03-01T13:00:00.000Z')

const named = { owner: 'acme', repo: 'tool' }

const aDocument = (overrides: Document = {}): Document => ({
  _id: 'acme/tool',
  ...aSkill({ repo: 'tool' }),
  ...overrides,
})

/** What follows from these documents for these rows; rows of an earlier draft as they were written. */
function plan(documents: Document[], rows: Row[] = [], at = now, own = settings) {
  const read = documents.map((document) => readSource('skills', document, own))
  const { claims, rejected } = claimIds('skills', read, rows)
  return { rejected, ...draftRows('skills', claims, rows, new Map(), at) }
}
const written = (documents: Document[]): Row[] => plan(documents).drafts.map(({ row }) => ({ ...row, version: 1 }))

describe('the state of a document', () => {
  test.each<[of: RecordType, what: string, fields: Document, reason: RegExp]>([
    [
      'skills',
      'one without an identity',
      { description: 'Reads.' },
      /^it does not say whose it is: it needs owner and/,
    ],
    ['skills', 'a repository of other characters', { ...named, repo: 'to ol' }, /^repo: must be 1 to 100 .+"to ol"$/],
    ['skills', 'a state of no meaning', { ...named, state: 'odd' }, /^state: must say whether .+, not "odd"$/],
    ['skills', 'a flag of no meaning', { ...named, hidden: 'odd' }, /^hidden: must say whether .+, not "odd"$/],
    [
      'skills',
      'a text that may withdraw it',
      { ...named, skill_md: '---\nstatus: wip\n---\n' },
      /^the front matter of its text: status: must say whether .+, not "wip"$/,
    ],
    ['skills', 'two faults', { owner: 'acme', repo: 'to ol', state: 'gone' }, /repo: .*state: |state: .*repo: /],
    ['prompts', 'two fields that are absent', {}, /^title: is missing; content: is missing$/],
    [
      'prompts',
      'a value of another type',
      { title: 'Poet', content: { a: 1 } },
      /^content: must be text, not \{"a":1\}$/,
    ],
  ])('of %s, %s is rejected in the words of an import', (type, _what, fields, found) => {
    const { state, reason, contentHash, record } = deriveRow(type, { _id: 'k', ...fields }, settings)

    expect([state, contentHash, record]).toEqual(['rejected', null, null])
    expect(reason).toMatch(found)
  })

  test.each(['hidden', 'removed'])('a document that is %s is not rejected for its other fields', (state) => {
    expect(deriveRow('skills', { state, stars: 'many' }, settings)).toMatchObject({ state, contentHash: null })
  })

  test('a second document of one skill is rejected by a reason that names the skill', () => {
    const second = (more: Document) => plan([aDocument(more), aDocument({ _id: '65f1c0ffee', ...more })]).rejected

    expect(second({})).toMatchObject([
      {
        id: 'acme/tool#65f1c0ffee',
        reason: expect.stringMatching(/^id: another document is acme\/tool already\. .*MONGODB_FIELDS=/),
      },
    ])
    const named = { id: 'acme/tool@saw', skill: 'saw' }
    expect(second(named)).toMatchObject([{ reason: 'id: another document is acme/tool@saw already' }])
  })
})

describe('what is written of a document', () => {
  test('a document that gets another id leads from the previous one to it', () => {
    const { drafts, freed } = plan([aDocument({ repo: 'new', id: 'acme/new' })], written([aDocument()]), later)

    expect(drafts).toMatchObject([
      { logged: true, row: { _id: 'acme/new', previousIds: ['acme/tool'], formerIds: ['acme/tool'] } },
      { logged: true, row: { _id: 'acme/tool', state: 'gone', contentHash: null } },
    ])
    expect(freed).toEqual(['acme/tool'])
  })

  test('a template of addresses is a change of those documents that have none', () => {
    const own = { ...settings, urlTemplate: 'https://code.example/{owner}/{repo}' }
    const without = aDocument({ url: null })
    const having = aDocument({ url: 'https://git.example/acme/tool' })

    expect(plan([without], written([without]), later, own).drafts).toMatchObject([{ logged: true }])
    expect(plan([having], written([having]), later, own).drafts).toEqual([])
  })
})
