import { expect, test } from '@jest/globals'
import { callTool, mcpOverHttp, revisions } from '../support/mcp-client.js'
import { unpublished } from './catalog.js'
import type { ServedMode } from './two-modes.js'

/** Calls whose results are the same in both modes. */
const calls: [tool: string, given: Record<string, unknown>][] = [
  ['list_skills', {}],
  ['list_skills', { sort: 'stars', limit: 25, topic: ['pdf'] }],
  ['list_skills', { sort: 'stars', topic: ['orchard'], distinct: 'repository' }],
  ['search_skills', { q: 'kumquat', distinct: 'repository', mode: 'keyword' }],
  ['list_skills', { sort: 'name', owner: 'quillmoor', minStars: 10, archived: false }],
  ['list_skills', { updatedSince: '2026-09-01', language: 'python' }],
  ['list_skills', { limit: 26 }],
  ['get_skill', { id: 'acme/kumquat' }],
  ['get_skill', { id: 'acme/old-name' }],
  ['get_skill', { id: 'acme/gone' }],
  ['get_skill', { id: 'acme/kumquta' }],
  ['suggest_skills', { q: 'quillmoor/pdf' }],
  ['search_skills', { q: 'kumquat', sort: 'stars' }],
  ['search_skills', { q: 'zzkqxvj', mode: 'keyword' }],
  ['search_skills', { q: '' }],
]

/** Defines the tests of what both modes answer to calls of MCP. */
export function mcpCalls(modes: () => ServedMode[]): void {
  /** The results of both modes, without times of their own. */
  const resultsOf = async (tool: string, given: Record<string, unknown>, revision = revisions[1]) =>
    Promise.all(
      modes().map(async ({ url }) => {
        const { isError, text, result } = await callTool(await mcpOverHttp(url, revision), tool, given)
        expect(text).not.toContain(unpublished)
        return JSON.parse(JSON.stringify({ isError, text, result }, withoutOwnTimes))
      }),
    )

  test.each(calls)('%s %j', async (tool, given) => {
    const [embedded, servers] = await resultsOf(tool, given)

    expect(servers).toEqual(embedded)
  })

  test.each(revisions)('both find the same first skill, and count the same: %s', async (revision) => {
    const [embedded, servers] = await Promise.all(
      modes().map(async ({ url }) => {
        const client = await mcpOverHttp(url, revision)
        const { result } = await callTool(client, 'search_skills', { q: 'Bank Statment Sorter' })
        const stats = await callTool(client, 'catalog_stats')
        return { first: Object(result?.['data'])[0].id, totals: Object(stats.result?.['data']).totals }
      }),
    )

    expect(embedded?.first).toBe('ledgerfinch/bank-statement-sorter')
    expect(servers).toEqual(embedded)
  })
}

/** A cursor and the time of an import differ between catalogs. */
const withoutOwnTimes = (name: string, value: unknown): unknown =>
  ['indexedAt', 'nextCursor'].includes(name)
    ? null
    : name === 'text'
      ? String(value).replace(/ with cursor .*/, '')
      : value
