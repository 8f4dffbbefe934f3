import { readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { comparisonOf, type FilterRow, facetNames, filterRows, filterTable } from '../../shared/ports/filter-table.js'
import { aSkill } from '../support/factories.js'
import { callTool, mcpOverHttp } from '../support/mcp-client.js'

test.each(filterRows())('docs/api.md has $parameter', ({ parameter }) => {
  const rows = readFileSync('docs/api.md', 'utf8').split('\n')
  expect(rows.filter((row) => row.split('|')[1]?.includes(`\`${parameter}\``))).not.toEqual([])
})

test('docs/api.md has the facets', () => {
  expect(readFileSync('docs/api.md', 'utf8')).toContain(`| \`facets\` | any of \`${facetNames}\``)
})

/** Comparisons that the product may not have. The modules that derive from the table are imported after this. */
const comparisons: Record<string, FilterRow> = {
  leastForks: { field: 'forks', kind: 'number', max: 1_000, description: 'skills with at least this number of forks' },
  maxForks: {
    field: 'forks',
    kind: 'number',
    max: 1_000,
    isMost: true,
    description: 'skills with at most this number of forks',
  },
  updatedUntil: {
    field: 'updatedAt',
    kind: 'time',
    isMost: true,
    description: 'skills updated at this time or before',
  },
  maxStars: {
    field: 'stars',
    kind: 'number',
    max: 1e9,
    isMost: true,
    description: 'skills with at most this number of stars',
  },
  createdSince: { field: 'createdAt', kind: 'time', description: 'skills created at this time or later' },
  publishedSince: { field: 'publishedAt', kind: 'time', description: 'skills published at this time or later' },
  release: { field: 'version', kind: 'text', max: 50, description: 'skills of this version, any case' },
}
const isSame = (a: FilterRow, b: FilterRow) => a.field === b.field && comparisonOf(a) === comparisonOf(b)
const added = Object.entries(comparisons).filter(([, row]) => !filterRows().some((own) => isSame(own, row)))
Object.assign(filterTable, Object.fromEntries(added), { ...filterTable })
const { inBothModes, serveRecords } = await import('./two-modes.js')
const { runCatalog } = await import('../support/run-catalog.js')

const text = {
  name: 'Kumquat peeler',
  description: 'Peels kumquats for marmalade, and keeps their seeds for the nursery after the orchard.',
}
const wanted = aSkill({
  ...text,
  owner: 'Acme',
  repo: 'kumquat',
  topics: ['c#', 'memory optimization'],
  license: 'Apache-2.0',
  language: 'C++',
  version: '2.0-RC',
  archived: true,
  stars: 50,
  forks: 20,
  createdAt: '2026-02-01T12:00:00.000Z',
  updatedAt: '2026-02-01T12:00:00.000Z',
  publishedAt: '2026-02-01T12:00:00.000Z',
})
/** In each field nearly the same: no filter by the values above admits them. */
const others = Array.from({ length: 60 }, (_, at) =>
  aSkill({
    ...text,
    owner: 'acme-labs',
    repo: `kumquat-${at}`,
    topics: ['c', 'memory'],
    license: 'Apache',
    language: 'C',
    version: '2.0',
    // Below the least, or above the most.
    stars: at % 2 === 0 ? 49 : 51,
    forks: at % 2 === 0 ? 19 : 21,
    createdAt: '2026-02-01T11:59:59.999Z',
    updatedAt: at % 2 === 0 ? '2026-02-01T11:59:59.999Z' : '2026-02-01T12:00:00.001Z',
    publishedAt: '2026-02-01T11:59:59.999Z',
  }),
)
const unknown = aSkill({ ...text, owner: 'nobody', repo: 'kumquat' })

/** The values of a filter that admit that skill, in another case where it does not count. */
const valuesFor = ({ field, kind }: FilterRow): (string | number | boolean)[] =>
  [wanted[field] ?? []]
    .flat()
    .map((value) => (kind === 'time' ? value : typeof value === 'string' ? value.toUpperCase() : value))

const requests = {
  'a list': '/api/v1/skills?',
  'a list by stars': '/api/v1/skills?sort=stars&',
  'a list of repositories': '/api/v1/skills?distinct=repository&',
  'a search by words': '/api/v1/skills/search?q=kumquat&mode=keyword&',
  'a search by words and meaning': '/api/v1/skills/search?q=kumquat&',
  'a search with copies': '/api/v1/skills/search?q=kumquat&fold=false&',
  'a search by meaning': '/api/v1/skills/search?q=peel+citrus+fruit&mode=semantic&',
  'a task': `/api/v1/skills/search?q=${encodeURIComponent(`We have to peel many kumquats for ${text.description}`)}&`,
  'a search by name': '/api/v1/skills/search?q=kumquat&sort=name&',
  'a search of repositories': '/api/v1/skills/search?q=kumquat&distinct=repository&facets=owner&',
}

interface Answer {
  data: { id: string; duplicates?: number }[]
  pagination: { total: number }
}

const found = ({ data, pagination }: Answer) => ({
  ids: data.map(({ id }) => id),
  // Copies are counted as well where they meet the filters.
  copies: data.flatMap(({ duplicates = 0 }) => duplicates),
  total: pagination.total,
})
const onlyWanted = { ids: ['acme/kumquat'], copies: [0], total: 1 }

inBothModes(
  (urls) => serveRecords(urls, { skills: [wanted, ...others, unknown], prompts: [], organizations: [] }),
  (served, mode) => {
    const json = async <Body = Answer>(path: string, init?: RequestInit): Promise<Body> =>
      (await (await fetch(`${served().url}${path}`, init)).json()) as Body

    test.each(Object.entries(requests))('%s without a filter has others', async (_, path) => {
      expect(found(await json(path))).not.toEqual(onlyWanted)
    })

    test.each(Object.entries(requests))('%s with all filters together', async (_, path) => {
      const all = filterRows().flatMap((row) => valuesFor(row).map((value) => [row.parameter, String(value)]))
      expect(found(await json(`${path}${new URLSearchParams(all)}`))).toEqual(onlyWanted)
      expect(found(await json(`${path}${new URLSearchParams([...all, ['topic', 'c']])}`)).ids).toEqual([])
    })

    describe.each(filterRows())('$parameter', (row) => {
      const { parameter, description, maxTimes } = row
      // With the other filter of its field, where there is one: only both together admit that skill alone.
      const names = filterRows().flatMap((each) => (each.field === row.field ? [each.parameter] : []))
      const values = valuesFor(row)
      const given = Object.fromEntries(names.map((name) => [name, maxTimes === undefined ? values[0] : values]))
      const query = new URLSearchParams(names.flatMap((name) => values.map((value) => [name, String(value)])))

      test.each(Object.entries(requests))('%s has only the skill that it admits', async (_, path) => {
        expect(found(await json(`${path}${query}`))).toEqual(onlyWanted)
      })

      test('as JSON', async () => {
        const headers = { 'Content-Type': 'application/json' }
        const body = JSON.stringify({ q: 'kumquat', ...given })
        expect(found(await json('/api/v1/skills/search', { method: 'POST', headers, body }))).toEqual(onlyWanted)
      })

      test('as an argument of the tools', async () => {
        const client = await mcpOverHttp(served().url)
        const { tools } = await client.listTools()
        for (const [name, more] of [['list_skills', {}] as const, ['search_skills', { q: 'kumquat' }] as const]) {
          const { result } = await callTool(client, name, { ...more, ...given })
          expect(found(result as unknown as Answer)).toEqual(onlyWanted)
          expect(tools.find((tool) => tool.name === name)?.inputSchema.properties).toHaveProperty(parameter)
        }
      })

      // The command asks a service of either mode alike, and both have the same document.
      if (mode === 'servers') {
        return
      }

      test('as an option of the command', async () => {
        const optionOf = (name: string) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
        const options = [...query].flatMap(([name, value]) => [optionOf(name), value])
        const args = ['search', 'kumquat', ...options, '--url', served().url, '--json']
        expect(found((await runCatalog('/dev/null/none', args)).json as unknown as Answer)).toEqual(onlyWanted)
      })

      test('in the OpenAPI document', async () => {
        type Operation = { parameters: { name: string; description: string }[] }
        const { paths } = await json<{ paths: Record<string, { get: Operation }> }>('/openapi.json')
        for (const path of ['/api/skills', '/api/v1/skills', '/api/v1/skills/search']) {
          const documented = paths[path]?.get.parameters.find(({ name }) => name === parameter)
          expect(documented?.description).toBe(description)
        }
      })
    })
  },
)
