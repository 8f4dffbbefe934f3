import { describe, expect, test } from '@jest/globals'
import { readJson } from '../../services/indexer/import/read-json.js'
import type { SourceItem } from '../../services/indexer/import/source.js'
import { inPieces, itemsOf, mapAll, mapDocument } from '../support/source-items.js'

const pdf = { name: 'pdf', description: 'Fills forms.' }
const csv = { name: 'csv', description: 'Cleans tables.', path: 'skills/csv' }
const page = (skill: string): string => `https://github.com/acme/kit/tree/main/skills/${skill}`
const named = { ...pdf, url: page('pdf') }
const other = { ...csv, repo: 'Acme/Kit' }
const both = [
  { id: 'acme/kit@pdf', description: 'Fills forms.', path: null },
  { id: 'acme/kit@csv', description: 'Cleans tables.', path: 'skills/csv' },
]

describe('a repository around a list of its skills', () => {
  test.each<[what: string, document: unknown]>([
    ['by its name', { repository: 'acme/kit', skills: [pdf, csv] }],
    ['by owner and name', { owner: 'acme', repo: 'kit', skills: [pdf, csv] }],
    ['by its address', { name: 'Kit', url: 'https://github.com/acme/kit', skills: [pdf, csv] }],
    ['as GitHub writes it', { id: 7, full_name: 'acme/kit', description: 'A kit.', skills: [pdf, csv] }],
    ['in an object of an answer', { status: 'ok', data: { repository: 'acme/kit', skills: [pdf, csv] } }],
    ['in a list', [{ repository: 'acme/kit', skills: [pdf, csv] }]],
    ['after them', { skills: [pdf, csv], repository: 'https://github.com/acme/kit' }],
    ['after them by owner and name', { ok: true, skills: [pdf, csv], count: 2, owner: { login: 'acme' }, repo: 'kit' }],
    ['after them in an object', { data: { skills: [pdf, csv], repository: { full_name: 'acme/kit' }, x: [1] }, y: {} }],
    ['in an object', { repository: { owner: { login: 'acme' }, name: 'kit' }, skills: [pdf, csv] }],
    ['with another name', [{ repo: 'acme/kit', name: 'toolbox', skills: [pdf, csv] }]],
    ['each under its name', [{ repo: 'acme/kit', skills: { pdf, csv } }]],
    ['each under its name alone', { repo: 'acme/kit', skills: { pdf: { description: pdf.description }, csv } }],
    ['in a list of an answer', { repositories: [{ full_name: 'acme/kit', skills: [pdf, csv] }] }],
    [
      'several',
      [
        { repo: 'acme/kit', skills: [pdf] },
        { repo: 'acme/kit', skills: [csv] },
      ],
    ],
  ])('names that of each: %s', async (_what, document) => {
    expect(await mapDocument(document)).toMatchObject(both)
  })

  test('gives them what it has for all of them, and no name of its own', async () => {
    const repository = {
      full_name: 'acme/kit',
      name: 'Kit',
      description: 'A kit.',
      version: '2',
      license: 'MIT',
      stars: 7,
    }
    const [one, two] = await mapDocument({
      ...repository,
      skills: [
        { name: 'x', path: 'x' },
        { ...pdf, stars: 1 },
      ],
    })

    expect(one).toMatchObject({
      id: 'acme/kit@x',
      name: 'x',
      description: null,
      version: null,
      license: 'MIT',
      stars: 7,
    })
    expect(two).toMatchObject({ id: 'acme/kit@pdf', stars: 1 })
  })

  test.each<[what: string, document: object]>([
    ['before them', { repository: 'acme/kit', private: true, skills: [pdf, { ...csv, private: false }] }],
    ['after them', { repository: 'acme/kit', skills: [pdf, csv], visibility: 'private' }],
    ['that say themselves whose they are', { repository: 'acme/kit', skills: [named, other], hidden: true }],
    ['that say another repository', { repository: 'jane/list', private: true, skills: [named, other] }],
    ['that say it before', { skills: [named, other], repository: 'acme/kit', visibility: 'private' }],
    ['that say another before', { skills: [named, other], repository: 'jane/list', private: true }],
    ['by an object', { repository: { url: 'https://github.com/acme/kit', private: true }, skills: [pdf, csv] }],
    ['that say it, with no repository', { visibility: 'private', skills: [named, other] }],
    ['that say it before, with no repository', { skills: [named, other], total: 2, published: false }],
    ['each under its name', { skills: { pdf: named, csv: other }, private: true }],
  ])('withdraws them with it: %s', async (_what, document) => {
    const hidden = both.map(({ id }) => ({ id, state: 'hidden' }))

    for (const around of [document, [document]]) {
      expect(await mapDocument(around)).toMatchObject(hidden)
    }
  })

  test('has a part in what its skills lack, also of those that name it, and in no other', async () => {
    const around = { repository: 'acme/kit', stars: 10, topics: ['t'], license: 'MIT', updated_at: '2026-01-01' }
    const own = { stargazers_count: 3, tags: ['a'], licence: 'Apache-2.0', last_modified: '2025-05-05' }
    const address = { name: 'zip', description: 'Packs.', html_url: 'https://github.com/acme/kit' }
    const skills = [{ ...pdf, ...own }, { ...named, stars: null }, { ...pdf, repo: 'jane/kit' }, address]

    expect(await mapDocument({ ...around, skills })).toMatchObject([
      { id: 'acme/kit@pdf', stars: 3, topics: ['a'], license: 'Apache-2.0', updatedAt: '2025-05-05T00:00:00.000Z' },
      { id: 'acme/kit@pdf', stars: 10, topics: ['t'], license: 'MIT', updatedAt: '2026-01-01T00:00:00.000Z' },
      { id: 'jane/kit@pdf', stars: null, topics: [], license: null, updatedAt: null },
      { id: 'acme/kit@zip', stars: 10, license: 'MIT' },
    ])
  })

  test.each<[skill: object, id: string]>([
    [{ ...pdf, repo: 'jane/tools' }, 'jane/tools@pdf'],
    [{ ...pdf, name: 'PDF Forms' }, 'acme/kit@pdf-forms'],
    [{ ...pdf, id: 'pdf-forms', name: 'PDF' }, 'acme/kit@pdf-forms'],
    [{ ...pdf, slug: 'forms' }, 'acme/kit@forms'],
    [{ ...pdf, owner: 'Jane Doe' }, 'acme/kit@pdf'],
    [{ ...pdf, path: 'SKILL.md' }, 'acme/kit'],
    [{ ...pdf, path: '' }, 'acme/kit@pdf'],
    [{ name: 'PDF!', path: 'skills/pdf/SKILL.md' }, 'acme/kit@pdf'],
  ])('%j in it is %s', async (skill, id) => {
    const document = { repository: 'acme/kit', skills: [skill] }

    expect(await mapDocument(document)).toMatchObject([{ id }])
  })

  test.each<[what: string, document: unknown]>([
    ['before them', { repository: 'acme/kit', stars: 7, skills: ['pdf', 'skills/csv'] }],
    ['after them', { skills: ['pdf', 'skills/csv'], repository: 'acme/kit', stars: 7 }],
    ['in a list', [{ repo: 'acme/kit', stars: 7, skills: ['pdf', './skills/csv/SKILL.md'] }]],
    ['as addresses', [{ repo: 'acme/kit', stars: 7, skills: ['acme/kit@pdf', page('csv')] }]],
  ])('which has their names alone: %s', async (_what, document) => {
    expect(await mapDocument(document)).toMatchObject([
      { id: 'acme/kit@pdf', name: 'pdf' },
      { id: 'acme/kit@csv', path: 'skills/csv' },
    ])
  })

  test.each([
    [{ full_name: 'acme/kit' }, 'https://github.com/acme/kit'],
    [{ repository: 'https://gitlab.com/acme/kit.git' }, 'https://gitlab.com/acme/kit'],
    [{ repository: 'acme/kit' }, null],
  ])('says where each of them is: %j', async (around, url) => {
    const skills = [pdf, { ...csv, url: 'https://csv.example' }, other]
    const read = await mapDocument({ ...around, skills })

    expect(read).toMatchObject([{ url }, { url: 'https://csv.example' }, { id: 'acme/kit@csv', url }])
  })

  test('after many of them names that of each, and what they lack', async () => {
    const skills = Array.from({ length: 3_000 }, (_, at) => ({ name: `s${at}`, description: 'x'.repeat(400) }))
    const document = JSON.stringify({ skills, private: true, repository: 'acme/kit', stars: 7 })
    const read = await mapAll(readJson(inPieces(document, 4_096), 'skills'))

    expect(read).toHaveLength(3_000)
    expect(read.at(-1)).toMatchObject({ id: 'acme/kit@s2999', stars: 7, state: 'hidden' })
  })

  test.each([{ hidden: 1, removed: 2 }, { status: 'ok' }, { state: 'partial' }, { private: false }])(
    'does not withdraw them with %j',
    async (answer) => {
      const published = both.map(({ id }) => ({ id, state: 'published' }))

      expect(await mapDocument({ skills: [named, other], ...answer })).toMatchObject(published)
    },
  )

  test('says too late that more of them than are held are not public', async () => {
    const skills = Array.from({ length: 350 }, (_, at) => ({ full_name: `acme/s${at}`, note: 'x'.repeat(1e5) }))
    const items: SourceItem[] = []
    const read = (answer: object, into: SourceItem[]) =>
      itemsOf(readJson(inPieces(JSON.stringify({ skills, ...answer }), 65_536), 'skills'), into)

    await expect(read({ private: true }, items)).rejects.toThrow('says only after its skills')
    expect(items.map(({ place }) => place)).toEqual(skills.map((_, at) => `record ${at + 1}`))
    await expect(read({ private: false }, [])).resolves.toHaveLength(skills.length)
  })

  test('without any, they are rejected in their places', async () => {
    const document = JSON.stringify({ skills: [pdf, 'csv', { repo: 'acme/kit' }], count: 3 })
    const items = await itemsOf(readJson(inPieces(document, 5), 'skills'))

    expect(items.sort((a, b) => a.place.localeCompare(b.place))).toMatchObject([
      { place: 'record 1', record: pdf },
      { place: 'record 2', reason: expect.stringMatching(/^is not a JSON object, but a text/) },
      { place: 'record 3', record: { repo: 'acme/kit' } },
    ])
  })

  test('a truncated list still gives what it has', async () => {
    const text = JSON.stringify({ skills: [pdf, csv], repository: 'acme/kit' }).slice(0, -10)
    const items: SourceItem[] = []

    await expect(itemsOf(readJson(inPieces(text, 5), 'skills'), items)).rejects.toThrow('truncated')
    expect(items).toMatchObject([{ record: pdf }, { record: csv }])
  })

  test('one odd skill costs only that skill', async () => {
    expect(await mapDocument([{ full_name: 'acme/kit', skills: [pdf, 7, csv] }])).toMatchObject([
      both[0],
      { reason: 'is not a JSON object' },
      both[1],
    ])
  })
})

test.each<[what: string, record: object]>([
  ['a list of words in one of several skills', { repo: 'acme/kit', name: 'pdf', skills: ['python'] }],
  ['a list of abilities', { full_name: 'acme/kit', skills: [{ name: 'Python', level: 3 }] }],
  ['an empty list', { full_name: 'acme/kit', skills: [] }],
  ['a list in one of several skills', { repo: 'acme/kit', skill: 'pdf', skills: [csv] }],
])('%s leaves a record as it is', async (_what, record) => {
  expect(await mapDocument([record])).toMatchObject([{ owner: 'acme', repo: 'kit', description: null }])
})

test('a list of words next to a description leaves a record as it is', async () => {
  const record = { full_name: 'acme/kit', description: 'A kit.', skills: ['python'] }

  expect(await mapDocument([record])).toMatchObject([{ id: 'acme/kit', description: 'A kit.' }])
})

describe('an item next to its repository', () => {
  const repository = { id: 1, name: 'kit', full_name: 'Acme/kit', description: 'A kit.', stargazers_count: 7 }
  const page = 'https://github.com/Acme/kit/blob/0a1b2c3d/skills'

  test('is the skill that a search in code has found', async () => {
    const items = ['pdf', 'csv'].map((name) => ({
      name: 'SKILL.md',
      path: `skills/${name}/SKILL.md`,
      html_url: `${page}/${name}/SKILL.md`,
      repository,
    }))

    expect(await mapDocument({ total_count: 2, items })).toMatchObject([
      { id: 'acme/kit@pdf', name: 'pdf', description: null, path: 'skills/pdf', stars: 7, url: `${page}/pdf/SKILL.md` },
      { id: 'acme/kit@csv', name: 'csv', description: null, path: 'skills/csv', stars: 7 },
    ])
  })

  test.each<[item: object, read: object]>([
    [
      { ...pdf, repository },
      { id: 'acme/kit@pdf', name: 'pdf', description: 'Fills forms.' },
    ],
    [
      { slug: 'pdf', repo: repository },
      { id: 'acme/kit@pdf', name: 'pdf' },
    ],
    [
      { name: 'SKILL.md', path: 'SKILL.md', repository },
      { id: 'acme/kit', name: 'kit' },
    ],
    [
      { name: 'A Kit', repository },
      { id: 'acme/kit', name: 'A Kit' },
    ],
    [
      { ...pdf, repository: { ...repository, private: true } },
      { id: 'acme/kit@pdf', state: 'hidden' },
    ],
    [
      { id: 'acme/kit', value: { rev: '1-x' }, doc: { ...repository, private: true } },
      { id: 'acme/kit', description: 'A kit.', state: 'hidden' },
    ],
    [
      { starred_at: '2026-01-01', repo: repository },
      { id: 'acme/kit', name: 'kit', description: 'A kit.' },
    ],
  ])('%j is read', async (item, read) => {
    expect(await mapDocument(item)).toMatchObject([read])
  })
})
