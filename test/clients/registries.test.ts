import { expect, test } from '@jest/globals'
import { recordsWith } from '../equality/catalog.js'
import { inBothModes, type ServedMode, serveRecords } from '../equality/two-modes.js'
import { aSkill } from '../support/factories.js'
import { type RunClient, whenClient } from '../support/real-clients.js'
import { sharedTestApp } from '../support/test-app.js'

const records = recordsWith(0)
inBothModes(
  (urls) => serveRecords(urls, records),
  (served) => {
    whenClient('clawhub', (run) => inspections(run, served))
    whenClient('hf-discover', (run) => discoveries(run, served))
  },
)

const shared = sharedTestApp({
  skills: [aSkill({ owner: 'Acme', repo: 'Kit', skill: 'pdf', name: 'PDF kit', formerIds: ['acme/was@pdf'] })],
})

whenClient('clawhub', (run) => {
  test('finds its registry by the origin, below a path of its own', async () => {
    const ofSite = (...args: string[]) => run(args, { CLAWHUB_SITE: shared().url })

    expect((await ofSite('search', 'pdf')).output).toMatch(/Kit@pdf +@Acme +PDF kit +score [01]\.\d{3}/)
    expect((await ofSite('inspect', 'acme/was@pdf')).output).toContain('Kit@pdf  PDF kit')
  })
})

whenClient('hf-discover', (run) => {
  test('navigate comes from the origin to the registry, and names skills without a domain of the catalog', async () => {
    const { url } = shared()
    const { output } = await run(['navigate', '--json', '--kind', 'skill', url, 'pdf'])
    const { results, discovered } = JSON.parse(output) as Found

    expect(discovered?.map((each) => [each.kind, each.url, each.status])).toEqual([
      ['catalog', `${url}/.well-known/ai-catalog.json`, 'ok'],
      ['registry', `${url}/search`, 'ok'],
    ])
    expect(results.map(({ identifier }) => identifier)).toEqual(['urn:air:skill-catalog.invalid:skills:acme:kit:pdf'])
  })
})

function inspections(run: RunClient, served: () => ServedMode): void {
  const clawhub = async (...args: string[]) =>
    (await run(args, { CLAWHUB_REGISTRY: `${served().url}/clawhub`, COLUMNS: '500' })).output

  test('search prints names, owners and versions, the best first, and with --exact one name', async () => {
    const [first, ...others] = (await clawhub('search', 'lift tables from scanned pdf invoices')).trim().split('\n')

    expect(first).toMatch(/^pdf-table-lifter v[\d.]+ +@Quillmoor +PDF Table Lifter +score 0\.\d{3}/)
    expect(others).toHaveLength(24)
    expect(await clawhub('search', '--exact', 'pdf-table-lifter')).toMatch(/^pdf-table-lifter v[^\n]+\n*$/)
  })

  test('inspect shows a skill with its licence and its dates, and of a bad name the reason', async () => {
    const output = await clawhub('inspect', 'quillmoor/pdf-table-lifter')

    expect(output).toContain('pdf-table-lifter  PDF Table Lifter')
    expect(output).toMatch(/Summary +Extracts tables .+ Licence: MIT; .+ Install: npx skills add /)
    expect(output).toMatch(/Updated +2025-09-29/)
    expect(JSON.parse(await clawhub('inspect', 'quillmoor/pdf-table-lifter', '--json'))).toMatchObject({
      skill: { slug: 'pdf-table-lifter', topics: expect.arrayContaining(['pdf']) },
      owner: { handle: 'Quillmoor' },
    })
    expect(await clawhub('inspect', 'pdf-table-lifter')).toContain('ask as in clawhub inspect owner/name')
    expect(await clawhub('inspect', 'quillmoor/no-such-skill')).toContain('skill_unknown')
  })
}

/** What the client prints with --json. */
interface Found {
  results: { identifier: string; displayName: string; type: string; url: string; score: number; source: string }[]
  discovered?: { kind: string; url: string; status: string }[]
}

/** An identifier of this catalog, whose PUBLIC_URL is https://catalog.example. */
const lifter = 'urn:air:catalog.example:skills:quillmoor:pdf-table-lifter'

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
