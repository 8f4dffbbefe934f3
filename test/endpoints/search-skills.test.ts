import { describe, expect, test } from '@jest/globals'
import { aSkill } from '../support/factories.js'
import { sharedTestApp, startTestApp, type TestAppOptions, type TestResponse } from '../support/test-app.js'
import { withOverrides } from '../support/with-overrides.js'

const searchPath = (q: string, rest = '') => `/api/v1/skills/search?q=${encodeURIComponent(q)}${rest}`

const firstHit = (answer: TestResponse) => (answer.body as { data: Record<string, unknown>[] }).data[0]

test('returns skills with scores, the query, the pages and the duration', async () => {
  const api = await startTestApp({ skills: [aSkill({ repo: 'pdf', name: 'Pdf tools', stars: 7 }), aSkill()] })

  const answer = await api.get(searchPath('  pdf '))

  expect(answer).toMatchObject({ status: 200, names: ['Pdf tools'] })
  expect(answer.body).toEqual({
    data: [expect.objectContaining({ id: 'acme/pdf', stars: 7, score: expect.any(Number), duplicates: 0 })],
    mode: 'hybrid',
    degraded: false,
    query: 'pdf',
    pagination: { page: 1, limit: 20, total: 1, totalIsLowerBound: false, totalPages: 1 },
    tookMs: expect.any(Number),
  })
  expect(answer.headers['server-timing']).toBe(`search;dur=${(answer.body as { tookMs: number }).tookMs}`)
  for (const name of ['highlights', 'explanation']) {
    expect(firstHit(answer)).not.toHaveProperty(name)
  }
})

describe('an address, or a line that installs', () => {
  const shared = sharedTestApp({
    skills: [
      aSkill({ repo: 'github', description: 'Opens https://github.com addresses of acme.', stars: 900 }),
      aSkill({ repo: 'kit' }),
      aSkill({ repo: 'tools', skill: 'sheets' }),
      aSkill({ repo: 'tools', skill: 'word' }),
    ],
  })

  test.each([
    ['https://github.com/acme/kit', 'acme/kit'],
    ['github.com/acme/kit.git', 'acme/kit'],
    ['git@github.com:acme/kit.git', 'acme/kit'],
    ['https://github.com/acme/tools/tree/main/skills/word', 'acme/tools@word'],
    ['https://github.com/acme/tools', 'acme/tools@sheets'],
    ['npx skills add acme/tools', 'acme/tools@sheets'],
    ['git clone https://github.com/acme/kit.git', 'acme/kit'],
    ['git clone --depth 1 git@github.com:acme/kit.git', 'acme/kit'],
    ['npx skills add acme/tools@word', 'acme/tools@word'],
    ['npx -y skills@latest add https://github.com/acme/tools --skill word -a claude-code', 'acme/tools@word'],
  ])('%s finds the skill that it names first', async (address, id) => {
    const answer = await shared().get(searchPath(address, '&explain=true'))

    expect(firstHit(answer)).toMatchObject({ id, explanation: { placement: 'owner/repo' } })
    expect(answer.body).toMatchObject({ query: address })
  })
})

describe('a former id', () => {
  const skills = [
    aSkill({ owner: 'acme', repo: 'new', description: 'Reads tables.', formerIds: ['acme/lattice'] }),
    aSkill({ owner: 'acme', repo: 'tools', skill: 'word', formerIds: ['old/kit@word'] }),
    aSkill({ owner: 'acme', repo: 'lattice-work', stars: 900 }),
    aSkill({ owner: 'old', repo: 'word-kit', stars: 900 }),
  ]
  const shared = sharedTestApp({ skills })

  test.each([
    ['acme/lattice', 'acme/new'],
    [' Acme/Lattice ', 'acme/new'],
    ['https://github.com/acme/lattice', 'acme/new'],
    ['old/kit@word', 'acme/tools@word'],
    ['old/kit/word', 'acme/tools@word'],
    ['old/kit', 'acme/tools@word'],
    ['acme/lattice-work', 'acme/lattice-work'],
  ])('%s finds the present skill first', async (q, id) => {
    const answer = await shared().get(searchPath(q, '&explain=true'))

    expect(firstHit(answer)).toMatchObject({ id, explanation: { placement: 'owner/repo' } })
    expect(answer.body).toMatchObject({ query: q.trim() })
  })

  test('is searched as it is while the catalog does not answer', async () => {
    const readRepository = () => Promise.reject(new Error('gone'))
    const replace: TestAppOptions['replace'] = ({ catalog }) => ({
      catalog: withOverrides(catalog, { readRepository }),
    })
    const api = await startTestApp({ skills, replace })

    expect((await api.get(searchPath('acme/lattice'))).ids[0]).toBe('acme/lattice-work')
  })
})

test('explains on request how each word was found, and by which rule a hit is placed', async () => {
  const api = await startTestApp({ skills: [aSkill({ repo: 'x', name: 'Pdf tools', description: 'Reads tables.' })] })

  const hit = firstHit(await api.get(searchPath('pdf table zzz', '&explain=true&highlight=true&fields=name')))

  expect(hit).toEqual({
    id: 'acme/x',
    name: 'Pdf tools',
    score: expect.any(Number),
    passage: null,
    highlights: expect.objectContaining({ name: '<em>Pdf</em> tools', description: 'Reads <em>tables</em>.' }),
    explanation: {
      placement: 'some words',
      words: [
        { word: 'pdf', match: { kind: 'exact', field: 'name' } },
        { word: 'table', match: { kind: 'form', field: 'description' } },
        { word: 'zzz', match: null },
      ],
      similarity: expect.closeTo(0.69, 2),
    },
    duplicates: 0,
  })
  expect(firstHit(await api.get(searchPath('acme/x', '&explain=true')))).toMatchObject({
    explanation: { placement: 'owner/repo' },
  })
  expect(firstHit(await api.get(searchPath('pdf c++', '&explain=true')))).toMatchObject({
    explanation: { words: [{ word: 'pdf' }, { word: 'c++' }] },
  })
})

test('sorts like the list, and then returns no scores', async () => {
  const api = await startTestApp({
    skills: [1, 3, 2].map((stars) => aSkill({ name: `pdf ${stars}`, stars })),
  })

  const byStars = await api.get(searchPath('pdf', '&sort=stars'))
  expect(byStars.names).toEqual(['pdf 3', 'pdf 2', 'pdf 1'])
  expect(firstHit(byStars)).toMatchObject({ score: null })
  expect((await api.get(searchPath('pdf', '&sort=stars&order=asc'))).names).toEqual(['pdf 1', 'pdf 2', 'pdf 3'])
  expect((await api.get(searchPath('pdf', '&sort=name'))).names).toEqual(['pdf 1', 'pdf 2', 'pdf 3'])
})

test('folds copies after the most starred one, unless they are asked for', async () => {
  const description = 'Extracts the tables of scanned invoices and writes them as CSV'
  const api = await startTestApp({
    skills: [
      aSkill({ owner: 'fork', repo: 'tables', name: 'tables', description, stars: 1 }),
      aSkill({ owner: 'origin', repo: 'tables', name: 'tables', description, stars: 50 }),
      aSkill({ owner: 'mirror', repo: 'tables', name: 'tables', description: description.toUpperCase(), stars: 2 }),
      aSkill({ owner: 'other', repo: 'invoices', name: 'invoices', description: 'Writes invoices', stars: 30 }),
    ],
  })
  const found = async (rest: string) => {
    const { data } = Object((await api.get(searchPath('extract invoices', rest))).body)
    return data.map(({ id, duplicates }: { id: string; duplicates: number }) => `${id} ${duplicates}`).sort()
  }

  for (const rest of ['', '&mode=keyword', '&mode=semantic']) {
    expect(await found(rest)).toEqual(['origin/tables 2', 'other/invoices 0'])
  }
  expect(await found('&fold=false')).toEqual([
    'fork/tables 0',
    'mirror/tables 0',
    'origin/tables 0',
    'other/invoices 0',
  ])
})

test('highlights mark the matches as HTML, with all other text escaped', async () => {
  const api = await startTestApp({
    skills: [
      aSkill({ repo: 'tools', name: 'Pdf & more', description: 'reads <b>pdf</b> files', topics: ['files', 'pdf'] }),
    ],
  })

  expect(firstHit(await api.get(searchPath('pdf', '&highlight=true')))).toMatchObject({
    highlights: {
      name: '<em>Pdf</em> &amp; more',
      repo: null,
      owner: null,
      description: 'reads &lt;b&gt;<em>pdf</em>&lt;/b&gt; files',
      topics: ['<em>pdf</em>'],
    },
  })
})

describe('pages', () => {
  test('have 20 hits by default, and begin with the first', async () => {
    const api = await startTestApp({ skills: Array.from({ length: 25 }, (_, stars) => aSkill({ name: 'pdf', stars })) })

    const [first, asked] = [await api.get(searchPath('pdf')), await api.get(searchPath('pdf', '&page=1&limit=20'))]

    expect(first.names).toHaveLength(20)
    expect(first.body).toMatchObject({ pagination: { page: 1, limit: 20, total: 25, totalPages: 2 } })
    expect(firstHit(first)).toEqual(firstHit(asked))
    expect((await api.get(searchPath('pdf', '&page=2'))).names).toHaveLength(5)
  })

  test('end at the thousandth hit, as does their number', async () => {
    const asked: { limit: number; offset: number }[] = []
    const api = await startTestApp({
      replace: ({ index }) => ({
        index: withOverrides(index, {
          search: async (query) => {
            asked.push({ limit: query.limit, offset: query.offset })
            return { hits: [], total: 1_000, totalIsLowerBound: true, facets: {}, byMeaning: false }
          },
        }),
      }),
    })

    const answer = await api.get(searchPath('pdf', '&limit=30&page=34'))

    expect(asked).toEqual([{ limit: 10, offset: 990 }])
    expect(answer.body).toMatchObject({
      pagination: { page: 34, total: 1_000, totalIsLowerBound: true, totalPages: 34 },
    })
    expect(answer.headers['link']).not.toContain('rel="next"')
  })
})

test('control characters separate words, and the response has the normalized query', async () => {
  const api = await startTestApp()

  expect((await api.get(searchPath('\0pdf\n\ttools\u007f'))).body).toMatchObject({ query: 'pdf tools' })
})

test('what looks like a filter is searched for as text, and the answer says how to filter', async () => {
  const api = await startTestApp({
    skills: [aSkill({ owner: 'quill', repo: 'pdf' }), aSkill({ owner: 'other', repo: 'owner-quill' })],
  })
  const search = async (q: string) => (await api.get(`/api/v1/skills/search?${new URLSearchParams({ q })}`)).body

  expect(await search('pdf owner:quill')).toMatchObject({
    data: expect.arrayContaining([expect.objectContaining({ id: 'other/owner-quill' })]),
    query: 'pdf owner:quill',
    hints: [
      { text: 'owner:quill', parameter: 'owner', value: 'quill', message: expect.stringContaining('owner=quill') },
    ],
  })
  expect(await search('pdf')).not.toHaveProperty('hints')

  const { text } = await api.get(`/?${new URLSearchParams({ q: 'pdf owner:quill', topic: 'x' })}`, {
    Accept: 'text/html',
  })
  expect(text).toContain('<bdi>owner:quill</bdi> is searched for as text.')
  expect(text).toMatch(/<a href="\/\?q=pdf&amp;owner=quill&amp;topic=x"[^>]*>Show only the owner <bdi>quill<\/bdi>/)
})

const path = '/api/v1/skills/suggest'

test('completes a text, with the fields for a search box', async () => {
  const api = await startTestApp({
    skills: [
      aSkill({ owner: 'Acme', repo: 'Pdf', name: 'PDF Table Lifter', description: 'Lifts.', stars: 5, license: 'MIT' }),
      aSkill({ owner: 'acme', repo: 'pdf-unknown', contact: 'eve@mail.example' }),
      aSkill({ owner: 'acme', repo: 'pdf-hidden', state: 'hidden' }),
    ],
  })

  const answer = await api.get(`${path}?q=%20Pd`)

  expect(answer).toMatchObject({ status: 200 })
  expect(answer.body).toEqual({
    data: [
      { id: 'acme/pdf', owner: 'Acme', repo: 'Pdf', name: 'PDF Table Lifter', description: 'Lifts.', stars: 5 },
      {
        id: 'acme/pdf-unknown',
        owner: 'acme',
        repo: 'pdf-unknown',
        name: 'pdf-unknown',
        description: null,
        stars: null,
      },
    ],
    query: 'Pd',
  })
  expect(answer.headers['cache-control']).toBe('public, max-age=60, stale-while-revalidate=300')
  expect(answer.headers['link']).toContain('rel="license"')
})

test('returns ten, or the requested number', async () => {
  const api = await startTestApp({ skills: Array.from({ length: 12 }, (_, stars) => aSkill({ name: 'pdf', stars })) })

  const { ids } = await api.get(`${path}?q=p`)
  expect(ids).toHaveLength(10)
  expect((await api.get(`${path}?q=p&limit=3`)).ids).toEqual(ids.slice(0, 3))
})

test('shortens a long description', async () => {
  const api = await startTestApp({ skills: [aSkill({ name: 'pdf', description: '🦀 '.repeat(3_000) })] })

  const { body } = await api.get(`${path}?q=pdf`)

  const [{ description } = { description: '' }] = (body as { data: { description: string }[] }).data
  expect(description.length).toBeLessThanOrEqual(200)
  expect(description).toMatch(/^(🦀 )+🦀?…$/u)
})

test('no match is an empty list', async () => {
  const api = await startTestApp()

  expect((await api.get(`${path}?q=zzz`)).body).toEqual({ data: [], query: 'zzz' })
})
