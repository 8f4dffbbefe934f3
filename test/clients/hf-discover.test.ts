import { expect, test } from '@jest/globals'
import { recordsWith } from '../equality/catalog.js'
import { inBothModes, type ServedMode, serveRecords } from '../equality/two-modes.js'
import { aSkill } from '../support/factories.js'
import { type RunClient, whenClient } from '../support/real-clients.js'
import { startTestApp } from '../support/test-app.js'

/** What the client prints with --json. */
interface Found {
  results: { identifier: string; displayName: string; type: string; url: string; score: number; source: string }[]
  discovered?: { kind: string; url: string; status: string }[]
}

/** An identifier of this catalog, whose PUBLIC_URL is https://catalog.example. */
const lifter = 'urn:air:catalog.example:skills:quillmoor:pdf-table-lifter'

const records = recordsWith(0)

whenClient('hf-discover', (run) => {
  test('navigate comes from the origin to the registry, and names skills without a domain of the catalog', async () => {
    const api = await startTestApp({ skills: [aSkill({ owner: 'Acme', repo: 'Kit', skill: 'pdf', name: 'pdf' })] })
    const { output } = await run(['navigate', '--json', '--kind', 'skill', api.url, 'pdf'])
    const { results, discovered } = JSON.parse(output) as Found

    expect(discovered?.map(({ kind, url, status }) => [kind, url, status])).toEqual([
      ['catalog', `${api.url}/.well-known/ai-catalog.json`, 'ok'],
      ['registry', `${api.url}/search`, 'ok'],
    ])
    expect(results.map(({ identifier }) => identifier)).toEqual(['urn:air:skill-catalog.invalid:skills:acme:kit:pdf'])
  })

  inBothModes(
    (urls) => serveRecords(urls, records),
    (served) => discoveries(run, served),
  )
})

function discoveries(run: RunClient, served: () => ServedMode): void {
  const search = async (...args: string[]) => {
    const { output } = await run(['search', '--registry-url', served().url, '--json', ...args])
    return JSON.parse(output) as Found
  }

  test('search finds skills, the best first, with scores up to 100', async () => {
    const { results } = await search('lift tables from scanned pdf invoices', '--limit', '3')

    expect(results).toHaveLength(3)
    expect(results[0]).toMatchObject({
      identifier: lifter,
      displayName: 'PDF Table Lifter',
      type: 'application/ai-skill',
      source: 'https://catalog.example/',
    })
    const scores = results.map(({ score }) => score)
    expect(scores).toEqual([...scores].sort((a, b) => b - a))
    expect(Math.max(...scores)).toBeLessThanOrEqual(100)
    expect(Math.min(...scores)).toBeGreaterThan(0)
  })

  test('of its kinds only that of skills has results, with any federation', async () => {
    const ofKind = async (kind: string, federation: string) =>
      (await search('pdf tables', '--kind', kind, '--federation', federation)).results.length

    expect(await ofKind('skill', 'referrals')).toBe(10)
    expect(await ofKind('all', 'none')).toBe(10)
    expect(await ofKind('mcp', 'auto')).toBe(0)
    expect(await ofKind('space', 'auto')).toBe(0)
  })

  test('prints a table, and of a refused search the reason', async () => {
    const { output } = await run(['search', '--registry-url', served().url, 'pdf table lifter'], { COLUMNS: '200' })
    expect(output).toContain('PDF Table Lifter')

    const refused = await run(['search', '--registry-url', served().url, '  '], { COLUMNS: '2000' })
    expect(refused.output).toContain('INVALID_ARGUMENT')
    expect(refused.output).toContain('query.text: is empty')
  })
}
