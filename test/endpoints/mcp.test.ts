import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { projectRoot } from '../../shared/runtime/project-root.js'
import { aLock } from '../support/a-lock.js'
import { aSkill } from '../support/factories.js'
import { callTool, mcpOverHttp, revisions } from '../support/mcp-client.js'
import { sharedTestApp, startTestApp } from '../support/test-app.js'

const names = ['search_skills', 'get_skill', 'list_skills', 'suggest_skills', 'catalog_stats']

const bodyOf = (answer: { body: unknown }) => answer.body as Record<string, unknown>

describe.each(revisions)('in revision %s', (revision) => {
  const api = sharedTestApp({ sample: true })
  const connect = () => mcpOverHttp(api().url, revision)

  test('the server names itself, and says how to begin', async () => {
    const client = await connect()

    expect(client.getNegotiatedProtocolVersion()).toBe(revision)
    expect(client.getServerVersion()).toMatchObject({ name: 'skill-catalog', title: 'Skill Catalog' })
    expect(client.getInstructions()).toContain('search_skills')
    expect(client.getServerCapabilities()).toEqual({
      tools: { listChanged: false },
      resources: { listChanged: false },
      extensions: { 'io.modelcontextprotocol/skills': {} },
    })
  })

  test('every tool has a title, a description, hints, and described arguments', async () => {
    const { tools } = await (await connect()).listTools()

    expect(tools.map(({ name }) => name)).toEqual(names)
    for (const { name, title, description = '', annotations, inputSchema, outputSchema } of tools) {
      expect(title).toEqual(expect.any(String))
      expect(description.length).toBeGreaterThan(60)
      expect(annotations).toEqual({
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      })
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false })
      expect(outputSchema).toMatchObject({ type: 'object', properties: { data: expect.any(Object) } })
      const undescribed = Object.entries(inputSchema.properties ?? {}).filter(
        ([, schema]) => !Object(schema).description,
      )
      expect([name, undescribed]).toEqual([name, []])
    }
  })

  test('search_skills gives what the search endpoint gives, and readable lines', async () => {
    const found = await callTool(await connect(), 'search_skills', { q: 'pdf tabel', limit: 3 })
    const expected = bodyOf(await api().get('/api/v1/skills/search?q=pdf%20tabel&limit=3'))

    expect(found.isError).toBe(false)
    expect(found.result).toMatchObject({ query: 'pdf tabel', mode: 'hybrid', pagination: expected['pagination'] })
    expect(idsOf(found.result)).toEqual(idsOf(expected))
    const [count, first, description, ...rest] = found.text.split('\n')
    const { total, totalPages } = Object(found.result?.['pagination'])
    expect(total).toBeGreaterThan(3)
    expect(count).toBe(`${total} found for “pdf tabel”, page 1 of ${totalPages}, best first:`)
    expect(first).toBe(
      '- quillmoor/pdf-table-lifter: PDF Table Lifter (18,420 stars, MIT, Python, updated 2025-09-29) ' +
        'https://github.example/Quillmoor/pdf-table-lifter',
    )
    expect(description).toMatch(/^ {2}Extracts tables from scanned PDF invoices/)
    expect(rest.at(-1)).toBe('More: the same arguments with page 2.')
  })

  test('list_skills is walked by cursor', async () => {
    const client = await connect()
    const walked: unknown[] = []
    let cursor: unknown = null
    for (let page = 0; page < 3; page += 1) {
      const { result, text } = await callTool(client, 'list_skills', { sort: 'stars', limit: 4, cursor })
      walked.push(...idsOf(result))
      cursor = Object(result?.['pagination']).nextCursor
      expect(text).toContain(`More: the same arguments with cursor ${cursor}`)
    }

    expect(walked).toEqual(idsOf(bodyOf(await api().get('/api/v1/skills?sort=stars&limit=12'))))
  })

  test('get_skill gives the whole skill', async () => {
    const { result, text } = await callTool(await connect(), 'get_skill', { id: 'Quillmoor/PDF-Table-Lifter' })

    const path = '/api/v1/skills/quillmoor/pdf-table-lifter'
    const instructions = { text: (await api().get(`${path}/SKILL.md`)).text, next: null }
    const { files, filesTotal } = Object(bodyOf(await api().get(`${path}/files`))['data'])
    expect(result).toEqual({
      ...Object(bodyOf(await api().get(path))),
      instructions,
      files: files.map(({ path, size }: { path: string; size: number }) => ({ path, size })),
      filesTotal,
    })
    expect(text).toContain(
      '  Topics: pdf, ocr, csv, invoices, data, documents, business\n  Version: 2.7.4\n  Forks: 1,784\n',
    )
  })

  test('suggest_skills and catalog_stats give what their endpoints give', async () => {
    const client = await connect()
    const suggested = await callTool(client, 'suggest_skills', { q: 'pdf ta', limit: 2 })
    const stats = await callTool(client, 'catalog_stats')

    expect(suggested.result).toEqual(bodyOf(await api().get('/api/v1/skills/suggest?q=pdf%20ta&limit=2')))
    expect(suggested.text).toContain('- quillmoor/pdf-table-lifter: PDF Table Lifter (18,420 stars)')
    expect(stats.result).toEqual(bodyOf(await api().get('/api/v1/stats')))
    expect(stats.text).toMatch(/^300 skills in 300 repositories of 60 organizations, 1\d\d topics, 234,951 stars\n/)
  })

  test('the record of a skill is a resource, and its template is listed', async () => {
    const client = await connect()

    const { resourceTemplates } = await client.listResourceTemplates()
    const { contents } = await client.readResource({ uri: 'catalog://skills/Quillmoor/pdf-table-lifter' })

    expect(resourceTemplates).toMatchObject([
      { uriTemplate: 'catalog://skills/{owner}/{repo}', mimeType: 'application/json' },
      { uriTemplate: 'skill://{+path}' },
    ])
    expect(await client.listResources()).toMatchObject({ resources: [] })
    const [{ uri, mimeType, text }] = contents as [{ uri: string; mimeType: string; text: string }]
    expect({ uri, mimeType }).toEqual({
      uri: 'catalog://skills/Quillmoor/pdf-table-lifter',
      mimeType: 'application/json',
    })
    expect({ data: JSON.parse(text) }).toEqual(bodyOf(await api().get('/api/v1/skills/quillmoor/pdf-table-lifter')))
  })

  test.each([
    'catalog://skills/quillmoor/no-such-skill',
    'catalog://skills/quillmoor/a/b',
    'catalog://skills/a%20b/c',
    'catalog://quillmoor/pdf-table-lifter',
    'other://quillmoor/pdf',
    'skill://quillmoor/pdf-table-lifter',
    'skill://quillmoor/pdf-table-lifter/SKILL.md',
    'skill://a%20b/c/d/SKILL.md',
  ])('no resource: %s', async (uri) => {
    await expect((await connect()).readResource({ uri })).rejects.toMatchObject({ code: -32_602, data: { uri } })
  })

  test('the record of an unknown skill names a tool, and near ids', async () => {
    const read = (await connect()).readResource({ uri: 'catalog://skills/quillmoor/pdf-table-liftr' })

    await expect(read).rejects.toThrow(
      /^There is no skill quillmoor\/pdf-table-liftr\. Search for it with search_skills\.\nSimilar ids: quillmoor\/pdf-table-lifter, /,
    )
  })

  test('an unknown tool is an error of the protocol', async () => {
    await expect((await connect()).callTool({ name: 'delete_skill' })).rejects.toMatchObject({ code: -32_602 })
  })
})

describe('a bad argument is an error that names it and the remedy', () => {
  const api = sharedTestApp({
    skills: [
      aSkill({ owner: 'acme', repo: 'kumquat-peeler' }),
      aSkill({ owner: 'acme', repo: 'gone', state: 'removed', removedAt: '2026-01-02T00:00:00.000Z' }),
    ],
  })

  test.each<[tool: string, given: Record<string, unknown>, text: string]>([
    ['search_skills', {}, 'q: is required: give the words to search for.'],
    ['search_skills', { q: 'pdf', limit: 26 }, 'limit: must be a whole number from 1 to 25.'],
    ['search_skills', { q: 'pdf', archived: 'yes' }, 'archived: must be true or false.'],
    ['search_skills', { q: 'pdf', q2: 1 }, 'q2: is not known: this tool takes q, limit, page, '],
    ['search_skills', { q: ['pdf', 'table'] }, 'q: is a list: give one value.'],
    ['search_skills', { q: 'pdf', owner: { login: 'a' } }, 'owner: is not text, a number, true or false'],
    ['search_skills', { q: 'pdf', page: 101 }, 'page: reaches beyond the first 1000 hits'],
    ['search_skills', { q: 'pdf', limit: 25, page: 41 }, 'or page by cursor with list_skills.'],
    ['search_skills', { q: 'pdf', sort: 'stars', mode: 'semantic' }, 'mode: cannot be semantic with a sort other than'],
    ['list_skills', { sort: 'best', minStars: -1 }, '.\nminStars: must be a whole number'],
    ['list_skills', { cursor: 'x' }, 'cursor: '],
    ['search_skills', { q: 7 }, 'q: is 7, not text: write it in quotes.'],
    ['suggest_skills', { q: 'a', limit: 11 }, 'limit: must be a whole number from 1 to 10.'],
    ['get_skill', {}, 'id: is required: give an id such as acme/pdf-tools.'],
    ['get_skill', { id: 'kumquat' }, 'id: must be an owner and a repository such as acme/pdf-tools.'],
    ['get_skill', { id: 'acme/kumquat-peler' }, 'There is no skill acme/kumquat-peler.'],
    ['get_skill', { id: 'acme/gone' }, 'acme/gone was removed on 2026-01-02.'],
    ['catalog_stats', { since: '2026' }, 'since: is not known: this tool takes no parameters.'],
  ])('%s %j', async (tool, given, text) => {
    const answer = await callTool(await mcpOverHttp(api().url), tool, given)

    expect(answer).toMatchObject({ isError: true, text: expect.stringContaining(text), result: null })
    // A model has tools, and may have no way to an address of the API.
    expect(answer.text).not.toContain('/api/')
  })

  test('an argument of null is absent, and a number may be text', async () => {
    const answer = await callTool(await mcpOverHttp(api().url), 'list_skills', { owner: null, limit: '1' })

    expect(answer.isError).toBe(false)
    expect(idsOf(answer.result)).toHaveLength(1)
  })
})

test('search_skills says how to filter where the text looks like a filter', async () => {
  const api = await startTestApp({ skills: [aSkill({ owner: 'quill', repo: 'pdf' })] })
  const { result, text } = await callTool(await mcpOverHttp(api.url), 'search_skills', { q: 'pdf owner:quill' })

  expect(result).toMatchObject({ hints: [{ parameter: 'owner', value: 'quill' }] })
  expect(text).toContain(
    'owner:quill was searched for as text. To filter, give the argument owner with quill, and leave it out of q.',
  )
})

test('search_skills says that a page is after the last one, not that nothing is found', async () => {
  const api = await startTestApp({ skills: [aSkill({ repo: 'pdf' })] })
  const { text } = await callTool(await mcpOverHttp(api.url), 'search_skills', { q: 'pdf', page: 3 })

  expect(text).toBe('Page 3 is after the last, which is 1: 1 found for “pdf”.')
})

test('list_skills by trend gives the stars that were gained', async () => {
  const api = await startTestApp({ skills: [aSkill({ repo: 'rising', stars: 30 }), aSkill({ repo: 'steady' })] })
  const today = Math.floor(Date.now() / 86_400_000)
  const days: [number, number][] = [
    [today - 20, 10],
    [today - 1, 30],
  ]
  await api.stores.catalog.writeHistories([{ id: 'acme/rising', days, trend: 200_000_020 }], aLock())

  const { result, text } = await callTool(await mcpOverHttp(api.url), 'list_skills', { sort: 'trending', limit: 1 })

  expect(result).toMatchObject({ data: [{ id: 'acme/rising', starsGained: { days7: 20, days30: 20 } }] })
  expect(text).toContain('(30 stars, 20 more in 7 days, 20 in 30, ')
})

describe('results are bounded', () => {
  const longest = Array.from({ length: 40 }, (_, place) =>
    aSkill({
      owner: 'o'.repeat(100),
      repo: `${'r'.repeat(97)}${100 + place}`,
      name: 'n'.repeat(200),
      description: `kumquat ${place}\n- fake/skill: ${'d\n'.repeat(4_980)}`,
      topics: Array.from({ length: 20 }, (_, topic) => `${'t'.repeat(98)}${10 + topic}`),
      license: 'l'.repeat(200),
      language: 'g'.repeat(100),
      url: `https://u.example/${'u'.repeat(1_900)}`,
      homepage: `https://h.example/${'h'.repeat(1_900)}`,
      version: 'v'.repeat(100),
    }),
  )
  const api = sharedTestApp({ skills: longest })

  test.each<[tool: string, given: Record<string, unknown>, skills: number]>([
    ['search_skills', { q: 'kumquat', limit: 25 }, 25],
    ['list_skills', { limit: 25 }, 25],
    ['list_skills', {}, 10],
  ])('%s %j', async (tool, given, skills) => {
    const { text, result } = await callTool(await mcpOverHttp(api().url), tool, given)
    const data = result?.['data'] as { description: string; homepage?: string }[]

    expect(data).toHaveLength(skills)
    expect(text.length).toBeLessThan(skills * 3_300 + 500)
    for (const skill of data) {
      expect(skill.description.length).toBeLessThanOrEqual(300)
      expect(skill).not.toHaveProperty('homepage')
    }
    // A description cannot add lines that look like other skills.
    expect(text.split('\n').filter((line) => !/^(?:- o| {2}kumquat)/.test(line)).length).toBeLessThanOrEqual(2)
  })
})

/** The ids of the skills of a body. */
const idsOf = (body: Record<string, unknown> | null): string[] => {
  const { data } = Object(body) as { data: { id: string }[] }
  return data.map(({ id }) => id)
}

test('the version of the project is that of the server', async () => {
  const { version } = JSON.parse(readFileSync(join(projectRoot(), 'package.json'), 'utf8'))
  const api = await startTestApp()
  const { info } = Object((await api.get('/openapi.json')).body)

  expect((await mcpOverHttp(api.url)).getServerVersion()).toMatchObject({ name: 'skill-catalog', version })
  expect(info.version).toBe(version)
})
