import { describe, expect, test } from '@jest/globals'
import { Double, Int32, Long } from 'mongodb'
import { mapRecord } from '../../services/indexer/import/map-record.js'
import { readSkillMd } from '../../services/indexer/import/read-skill-md.js'
import { documentToStored } from '../../shared/adapters/servers/mongo/catalog/document.js'
import { defaultDocumentSettings, FieldNamesText } from '../../shared/records/document-settings.js'
import { type RecordType, recordTypes } from '../../shared/records/records.js'

type Input = Record<string, unknown>

const complete: Record<RecordType, Input> = {
  skills: { owner: 'acme', repo: 'tool' },
  prompts: { id: 'poet', title: 'Poet', content: 'Write.' },
  organizations: { login: 'acme' },
}

/** The state of a record in an import and as a document; `rejected` for an import that does not accept it. */
function statesOf(input: Input, type: RecordType = 'skills'): unknown[] {
  const mapped = mapRecord(type, { ...complete[type], ...input })
  const document = documentToStored(type, { _id: 'a', ...complete[type], ...input }, defaultDocumentSettings)
  return ['record' in mapped ? mapped.record.state : 'rejected', document['state']]
}

describe('a record is withdrawn by any of these', () => {
  test.each<[state: string, input: Input]>([
    ['hidden', { hidden: false, private: true }],
    ['hidden', { isHidden: false, hidden: 'Yes' }],
    ['removed', { removed: false, deleted: true }],
    ['removed', { deleted: 'no', is_deleted: '1' }],
    ['hidden', { state: 'published', private: true }],
    ['removed', { state: 'published', deleted: true }],
    ['hidden', { state: 'Private' }],
    ['removed', { state: 'deleted' }],
    ['hidden', { visibility: 'PRIVATE' }],
    ['hidden', { visibility: 'INTERNAL', isPrivate: false }],
    ['hidden', { visibility_level: 0 }],
    ['hidden', { visibility: 'none' }],
    ['hidden', { access: 'restricted' }],
    ['hidden', { access: 'team' }],
    ['hidden', { access: 'Members only' }],
    ['hidden', { access: ['team'] }],
    ['hidden', { access_level: 'organization' }],
    ['hidden', { accessLevel: 'authenticated users' }],
    ['hidden', { access_control: {} }],
    ['hidden', { access_grants: [{ principal_type: 'user', principal_id: 'u1' }] }],
    ['hidden', { privacy: 'my-company' }],
    ['hidden', { privacy: { value: 'friends' } }],
    ['hidden', { visibility: 'TEAM' }],
    ['hidden', { visibility: 'friends' }],
    ['hidden', { sharing: 'team' }],
    ['hidden', { repository: { url: 'https://github.com/acme/tool', access: 'organization' } }],
    ['hidden', { metadata: { acme: { access: 'team' } } }],
    ['hidden', { private: 'private' }],
    ['hidden', { private: 'T' }],
    ['hidden', { private: '1.0' }],
    ['hidden', { is_private: new Int32(1) }],
    ['hidden', { private: [true] }],
    ['hidden', { private: { value: new Int32(1) } }],
    ['removed', { deleted: [{ value: 'yes' }] }],
    ['hidden', { public: [false] }],
    ['hidden', { disabled: true }],
    ['hidden', { draft: 'on' }],
    ['hidden', { unlisted: true }],
    ['hidden', { isPublic: false }],
    ['hidden', { public: 'FALSE' }],
    ['hidden', { published: false }],
    ['hidden', { published: '0' }],
    ['hidden', { publish: 'no' }],
    ['removed', { takenDown: true }],
    ['hidden', { is_listed: 'no' }],
    ['hidden', { enabled: new Double(0) }],
    ['removed', { deletedAt: '2026-01-02' }],
    ['removed', { deleted_on: '2026-01-02' }],
    ['hidden', { blockedOn: 1_760_000_000 }],
    ['hidden', { is_malware: true }],
    ['removed', { tombstone: true }],
    ['removed', { deleted_at: new Date(1_760_000_000_000) }],
    ['removed', { softDeletedAt: Long.fromNumber(1_760_000_000_000) }],
    ['removed', { removedAt: 'last week' }],
    ['removed', { deleted: '2026-01-02T03:04:05Z' }],
    ['hidden', { suspended_at: { $date: '2026-01-02T03:04:05Z' } }],
    ['removed', { status: 'deleted' }],
    ['removed', { status: 'Yanked' }],
    ['hidden', { status: 'SUSPENDED' }],
    ['hidden', { status: 'blocked' }],
    ['hidden', { status: 'draft' }],
    ['hidden', { status: 'pending_review' }],
    ['hidden', { post_status: 'private' }],
    ['hidden', { publishState: 'draft' }],
    ['hidden', { workflow_state: 'unpublished' }],
    ['hidden', { sharing: 'private' }],
    ['hidden', { privacyStatus: 'unlisted' }],
    ['hidden', { visibility: 'limited' }],
    ['hidden', { isShared: false }],
    ['hidden', { discoverable: false }],
    ['hidden', { exclude_from_search: true }],
    ['removed', { status: 'trash' }],
    ['removed', { in_trash: true }],
    ['removed', { status: 'soft-deleted' }],
    ['removed', { status: 'removed by a moderator' }],
    ['hidden', { status: { name: 'Quarantined' } }],
    ['hidden', { moderationStatus: 'hidden' }],
    ['hidden', { visibility: 'public', marked_for_deletion_on: '2026-01-02' }],
    ['hidden', { pending_delete: true }],
    ['hidden', { hidden: '✓' }],
    ['hidden', { hidden: '✔\ufe0f' }],
    ['hidden', { public: '❌' }],
    ['hidden', { private: 'ИСТИНА' }],
    ['hidden', { repository: { url: 'https://github.com/acme/tool', private: true } }],
    ['hidden', { repository: { full_name: 'acme/tool', visibility: 'internal', owner: { active: false } } }],
    ['removed', { repository: "{'url': 'https://github.com/acme/tool', 'deleted': True}" }],
    ['hidden', { moderation_verdict: 'malicious' }],
    ['hidden', { moderationFlags: ['blocked.malware'] }],
    ['hidden', { moderationFlags: '["flagged.suspicious"]' }],
    ['hidden', { moderation: { isMalwareBlocked: true, isSuspicious: false } }],
    ['hidden', { moderation: '{"isHiddenByMod": true}' }],
    ['removed', { moderationInfo: { isRemoved: true } }],
    ['hidden', { metadata: { internal: true } }],
    ['hidden', { metadata: '{"internal": "true"}' }],
    ['hidden', { metadata: { acme: { private: 'yes' } } }],
    ['removed', { _meta: { 'registry.example/official': { status: 'deleted' } } }],
    ['removed', { deletedDate: '2026-01-02' }],
    ['removed', { date_deleted: '2026-01-02' }],
    ['removed', { deletionTimestamp: '2026-01-02T03:04:05Z' }],
    ['removed', { isDelete: 1 }],
    ['hidden', { deactivated: true }],
    ['hidden', { deactivated_at: '2026-01-02' }],
    ['removed', { lifecycle_state: 'DELETED' }],
    ['removed', { Op: 'D' }],
    ['removed', { change_type: 'delete' }],
    // As Joomla has what is in its trash.
    ['removed', { state: -2 }],
    ['removed', { published: '-2' }],
    ['hidden', { state: 0 }],
    ['hidden', { published: 0 }],
    // Another value that cannot be understood withdraws nothing less.
    ['hidden', { hidden: true, status: 'lost' }],
  ])('%s: %p', (state, input) => {
    expect(statesOf(input)).toEqual([state, state])
  })

  test.each(recordTypes)('of %s alike', (type) => {
    expect(statesOf({ hidden: false, visibility: 'private' }, type)).toEqual(['hidden', 'hidden'])
    expect(statesOf({ repository: { private: true } }, type)).toEqual(['hidden', 'hidden'])
  })

  test.each(recordTypes)('of %s: the draft of a content management system by its _id', (type) => {
    const statesWith = (_id: string) => {
      const input = { ...complete[type], _id }
      const mapped = mapRecord(type, input)
      const document = documentToStored(type, input, defaultDocumentSettings)
      return ['record' in mapped ? mapped.record.state : 'rejected', document['state']]
    }

    for (const id of ['drafts.6a1f', 'drafts.skill-tool', 'versions.r8fz2.6a1f']) {
      expect([id, ...statesWith(id)]).toEqual([id, 'hidden', 'hidden'])
    }
    for (const id of ['6a1f', 'drafts', 'draftsman.tool', 'versions']) {
      expect([id, ...statesWith(id)]).toEqual([id, 'published', 'published'])
    }
    // As the catalog itself names a document.
    expect(statesOf({ _id: 'drafts.acme', id: 'drafts.acme', login: 'drafts.acme' }, type)[0]).toBe('published')
  })

  test.each(['_fivetran_deleted', '_PEERDB_IS_DELETED', '_sdc_deleted_at', '_ab_cdc_deleted_at', '_change_type'])(
    'a program that copies tables marks the row in %s',
    (name) => {
      const [yes, no] = name.endsWith('_at')
        ? ['2026-01-02T03:04:05Z', null]
        : name === '_change_type'
          ? ['delete', 'insert']
          : [true, false]

      expect(statesOf({ [name]: yes })[0]).toBe('removed')
      expect(statesOf({ [name]: no })[0]).toBe('published')
    },
  )

  test.each<[state: string, input: Input]>([
    ['hidden', { isprivate: true }],
    ['hidden', { Private: true }],
    ['removed', { deletedat: new Date(1_760_000_000_000) }],
    ['hidden', { 'repository.private': 'True', repo_visibility: 'public' }],
    ['hidden', { moderation_isMalwareBlocked: 'True' }],
    ['hidden', { repo_visibility: 'private' }],
    ['hidden', { 'metadata.internal': 'true' }],
  ])('%s in any spelling, in a document too: %p', (state, input) => {
    expect(statesOf(input)).toEqual([state, state])
  })

  test.each([
    'private: yes\nmetadata:\n  hidden: no',
    'private: no\nmetadata:\n  private: yes',
    'metadata:\n  internal: true',
    'metadata:\n  - internal: true',
    'metadata: {"openclaw": {"visibility": "private"}}',
    'metadata: \'{"internal": true}\'',
    'internal: "true"',
    'visibility: private',
  ])('front matter: %j', (yaml) => {
    const item = readSkillMd('/skills/acme/tool/SKILL.md', '/skills', {
      head: Buffer.from(`---\nname: tool\n${yaml}\n---\n`),
      digest: '',
    })

    expect('record' in item && statesOf(item.record)[0]).toBe('hidden')
  })
})

test.each<[input: Input, removedAt: string | null]>([
  [{ state: 'removed' }, null],
  [{ removedAt: '2026-01-02' }, '2026-01-02T00:00:00.000Z'],
  [{ softDeletedAt: 1_760_000_000_000 }, '2025-10-09T08:53:20.000Z'],
  [{ status: 'deleted', deletedAt: 'long ago', updatedAt: '2026-01-03' }, '2026-01-03T00:00:00.000Z'],
])('the time of the removal: %p', (input, removedAt) => {
  expect(mapRecord('skills', { ...complete.skills, ...input })).toMatchObject({ record: { removedAt } })
})

describe('a record stays published with', () => {
  test.each<[input: Input]>([
    // As GitHub, GitLab and registries answer for what is public.
    [{ private: false, visibility: 'public', disabled: false, archived: true, draft: false, fork: true }],
    [{ isPrivate: false, visibility: 'PUBLIC', isArchived: true, isLocked: false }],
    [{ visibility_level: 20 }],
    [{ access: 'read', privacy: 'https://acme.example/privacy' }],
    [{ access: 'owner', privacy: 'No data of your team or organization leaves it.' }],
    [{ access: 'all', privacy: 'all users', accessLevel: 30, access_grants: [{ principal_id: '*' }] }],
    [{ audience: 'team', team: 'organization', scope: 'members', status: 'active' }],
    [{ workflow_state: 'crawled', sharing: { links: 3 }, isShared: true }],
    [{ status: 'active' }],
    [{ status: '[]', hidden: '{}', private: '✗' }],
    [{ private: [false], hidden: { value: 0 }, public: [true] }],
    [{ isprivate: false, DeletedAt: new Date('0001-01-01T00:00:00Z') }],
    [{ status: 'Deprecated', deprecated: true }],
    [{ status: 'published', published: '2026-01-02', publishedAt: '2026-01-02' }],
    [{ state: 'active' }],
    [{ status: 'Complete' }],
    [{ post_status: 'publish' }],
    [{ published: true, listed: 'TRUE', isPublic: 1, verified: false }],
    [{ published: 'two days ago' }],
    [{ hidden: null, private: '', deletedAt: null, status: '', visibility: ' ', access_control: null }],
    [{ hidden: 'NULL', private: '\\N', deleted: Number.NaN, status: 'N/A', deletedAt: 'None' }],
    [{ deletedAt: '0001-01-01T00:00:00Z', removedAt: 0, suspendedAt: '1970-01-01T00:00:00Z' }],
    [{ deletedAt: new Date('0001-01-01T00:00:00Z'), blockedAt: false, deletedDate: { by: null, on: null } }],
    [{ deletedAt: '0000-00-00 00:00:00', removedAt: '00', blockedAt: '/Date(0)/', suspendedAt: '01.01.1970' }],
    [{ moderation: { isSuspicious: false, isMalwareBlocked: false, verdict: 'clean', reasonCodes: [], updatedAt: 7 } }],
    [{ moderation: null, moderationFlags: [], moderationStatus: 'active', moderationVerdict: 'clean' }],
    [{ moderationFlags: '[]', moderation: '{"isHiddenByMod": false}' }],
    [{ metadata: { internal: false, author: { status: 'on holiday' }, os: ['linux'] } }],
    [
      {
        repository: { url: 'https://github.com/acme/tool', private: false, status: 'active', owner: { active: false } },
      },
    ],
    [{ links: { public: 'https://acme.example', private: 'https://acme.example/a' }, repository_public: 'True' }],
    [{ op: 'u', change_type: 'update_postimage', operationType: 'replace' }],
    [{ type: 'delete', action: 'remove', event: 'deleted' }],
    [{ metadata: 'about the hidden private parts', 'disable-model-invocation': true }],
    [{ _meta: { 'registry.example/official': { status: 'active', isLatest: true } } }],
  ])('%p', (input) => {
    expect(statesOf(input)).toEqual(['published', 'published'])
  })
})

test('a document in its own words: of the fields that its operator has named, and of names that begin with _', () => {
  const read = (fields: object, input: Input) =>
    documentToStored(
      'skills',
      { _id: 'a', ...complete.skills, ...input },
      { fields: FieldNamesText.parse(JSON.stringify({ skills: fields })) },
    )['state']

  expect(read({ status: 'listing' }, { Status: 'crawled', listing: 'public' })).toBe('published')
  expect(read({}, { _status: 'crawled' })).toBe('published')
  expect(read({ skillMd: 'readme' }, { readme: '---\nprivate: true\n---\n' })).toBe('hidden')
  expect(read({ skillMd: 'readme' }, { readme: 'Text.', skill_md: '---\nprivate: true\n---\n' })).toBe('hidden')
  expect(read({ url: 'link' }, { repository: { private: true } })).toBe('hidden')
})

describe('a value that cannot be understood does not publish', () => {
  test.each<[input: Input, reason: string]>([
    [{ visibility: 'maroon' }, 'visibility: must say whether it is published'],
    [{ state: 'gone' }, 'state: must say whether it is published'],
    [{ hidden: 'perhaps' }, 'hidden: must say whether it is published'],
    [{ moderation_status: 'Kim knows' }, 'moderation_status: must say whether it is published'],
    [{ status: 'not public' }, 'status: must say whether it is published'],
    [{ status: '🔒' }, 'status: must say whether it is published'],
    [{ sharing: 'maroon' }, 'sharing: must say whether it is published'],
    [{ status: 418 }, 'status: must say whether it is published'],
    [{ listed: 'perhaps' }, 'listed: must say whether it is published'],
    [{ is_deleted: { by: 'kim' } }, 'is_deleted: must say whether it is published'],
    [{ moderation: { verdict: 'odd' } }, 'verdict: must say whether it is published'],
    [{ _meta: { 'registry.example/official': { status: 'odd' } } }, 'status: must say whether it is published'],
  ])('%p', (input, reason) => {
    const mapped = mapRecord('skills', { ...complete.skills, ...input })

    expect('reason' in mapped && mapped.reason).toContain(reason)
    expect(statesOf(input)[1]).not.toBe('published')
  })
})
