import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { mapRecord, parseRecord } from '../../services/indexer/import/map-record.js'
import { knownNames } from '../../shared/records/field-names.js'
import { recordTypes } from '../../shared/records/records.js'
import { storedSchemas } from '../../shared/records/schemas.js'

/** Records of any values, with known and unknown field names. */
const anyRecord = (names: string[]) =>
  fc.dictionary(
    fc.oneof(fc.constantFrom(...names), fc.string()),
    fc.oneof(
      fc.jsonValue(),
      // An object that cannot be converted to text.
      fc.constant({ toString: '' }),
      fc.string({ unit: 'binary' }),
      fc.constantFrom('acme', 'acme/pdf', 'https://github.com/a/b'),
    ),
  )

test.each(recordTypes)('any record of %s is stored in a valid shape or rejected with a reason', (type) => {
  fc.assert(
    fc.property(anyRecord([...knownNames[type]]), (source) => {
      const mapped = mapRecord(type, source)
      if ('reason' in mapped) {
        expect(mapped.reason).not.toBe('')
      } else {
        expect(storedSchemas[type].safeParse(mapped.record).error).toBeUndefined()
        expect(mapRecord(type, source)).toEqual(mapped)
        // Serializing the record and parsing it again must not change it.
        expect(JSON.parse(JSON.stringify(mapped.record))).toEqual(mapped.record)
      }
    }),
    { numRuns: 500 },
  )
})

test.each([
  [{ published: false }, 'hidden'],
  [{ state: 'hidden', stars: 'NULL', topics: 'None', language: '' }, 'hidden'],
  [{ deletedAt: '2026-01-02', source: 'a list' }, 'removed'],
])('a source that withdraws a record, and has no values, changes its state alone: %j', (fields, state) => {
  expect(mapRecord('skills', { full_name: 'acme/pdf', ...fields })).toMatchObject({ change: { id: 'acme/pdf', state } })
  expect(mapRecord('skills', { full_name: 'acme/pdf', ...fields, stars: 7 })).not.toHaveProperty('change')
})

const itself: Record<string, unknown> = { owner: 'acme', repo: 'pdf' }
itself['x'] = [itself, itself]

test.each([
  ['nested too deeply', JSON.parse(`{"owner":"acme","repo":"pdf","x":${'['.repeat(400_000)}${']'.repeat(400_000)}}`)],
  ['just too deep', JSON.parse(`{"owner":"acme","repo":"pdf","x":${'['.repeat(64)}${']'.repeat(64)}}`)],
  ['contained in itself', itself],
])('a record that is %s is rejected', (_what, source) => {
  expect(mapRecord('skills', source)).toEqual({
    id: null,
    reason: 'is nested deeper than 64 levels, or contains itself',
  })
})

test('a row of which its service has truncated cells is no record', () => {
  const rowWith = (truncated: string[]) =>
    parseRecord(JSON.stringify({ row_idx: 0, row: { act: 'Poet', prompt: 'Write' }, truncated_cells: truncated }))

  expect(rowWith(['prompt'])).toEqual({
    reason: expect.stringMatching(/^is no record: it is a row .* truncated cells/),
  })
  expect(rowWith([])).toMatchObject({ record: { act: 'Poet', prompt: 'Write' } })
})

describe('further fields of the source', () => {
  const stored = (source: Record<string, unknown>): Record<string, unknown> => {
    const mapped = mapRecord('skills', source)
    return 'record' in mapped ? mapped.record : {}
  }

  test('are kept, but override nothing', () => {
    const mapped = stored({
      owner: 'acme',
      repo: 'pdf',
      source: 'a list',
      indexedAt: '2020-01-01',
      ID: 'evil',
      metadata: { level: 3, visibility: 'public' },
    })

    expect(mapped).toMatchObject({
      source: 'a list',
      id: 'acme/pdf',
      indexedAt: null,
      removedAt: null,
      state: 'published',
    })
    // A record is withdrawn by its state alone once it is stored.
    expect(mapped['metadata']).toEqual({ level: 3 })
    expect(mapped).not.toHaveProperty('ID')
  })

  test('are limited, and names that stores refuse are omitted', () => {
    const source = JSON.parse(
      `{"owner":"acme","repo":"pdf","__proto__":{"stars":9},"$where":"1","a.b":1,"big":"${'x'.repeat(9_000)}","kept":1}`,
    )

    const mapped = stored(source)

    expect(Object.keys(mapped).slice(-1)).toEqual(['kept'])
    expect(mapped).toMatchObject({ stars: null })
    expect(JSON.stringify(mapped)).not.toMatch(/where|xxx|a\.b/)
  })
})

describe('what cannot be read of the content of a skill', () => {
  const sha256 = 'a'.repeat(64)
  const file = { path: 'a.py', size: null, digest: null }

  test.each<[content: object, dropped: RegExp[], files: object[]]>([
    [{ skill_md: ['Reads.'] }, [/^skill_md: must be text, not \["Reads\."\]$/], []],
    [{ skill_md: 'Reads.', files: true }, [/^files: must be a list of files, or their number, not true$/], []],
    [{ skill_md: 'Reads.', files: { 'a.py': 12 } }, [], [{ ...file, size: 12 }]],
    [{ skill_md: 'Reads.', files: { 'a.py': { content: 'x = 1' } } }, [], [file]],
    [{ skill_md: 'Reads.', files: '["a.py"]' }, [], [file]],
    [{ skill_md: 'Reads.', files: 'a.py | SKILL.md' }, [], [file]],
    [{ skill_md: 'NULL', files: 'nan' }, [], []],
    [{ skill_md: 'Reads.', files: ['a.py', '../b.py', {}] }, [/^files: 2 of the list: must have a path/], [file]],
    [{ skill_md: 'Reads.', files: [{ name: 'a.py', size: -1, digest: 'md5:x' }] }, [/^files: 1 of the list/], [file]],
    [
      { skill_md: 'Reads.', files: [{ name: 'a.py', size: '12', sha256 }] },
      [],
      [{ ...file, size: 12, digest: `sha256:${sha256}` }],
    ],
  ])('is named: %j', (content, dropped, files) => {
    const mapped = mapRecord('skills', { owner: 'acme', repo: 'pdf', ...content })

    expect(mapped).toMatchObject({ dropped: dropped.map((message) => expect.stringMatching(message)) })
    expect('content' in mapped ? mapped.content?.files.files.slice(1) : []).toEqual(files)
  })

  test.each([
    [['a.py', '../b.py'], 3],
    [7, 7],
    ['7', 7],
    [0, 1],
    [null, 1],
  ])('and counted, so that the skill is not taken for its SKILL.md alone: %j', (files, total) => {
    const mapped = mapRecord('skills', { owner: 'acme', repo: 'pdf', skill_md: 'Reads.', files })

    expect(mapped).toMatchObject({ content: { files: { total } } })
  })
})
