import { expect, test } from '@jest/globals'
import { recordsWith } from '../equality/catalog.js'
import { inBothModes, type ServedMode, serveRecords } from '../equality/two-modes.js'
import { aSkill } from '../support/factories.js'
import { type RunClient, whenClient } from '../support/real-clients.js'
import { startTestApp } from '../support/test-app.js'

const records = recordsWith(0)

whenClient('clawhub', (run) => {
  test('finds its registry by the origin, below a path of its own', async () => {
    const api = await startTestApp({
      skills: [aSkill({ owner: 'Acme', repo: 'Kit', skill: 'pdf', name: 'PDF kit', formerIds: ['acme/was@pdf'] })],
    })
    const ofSite = (...args: string[]) => run(args, { CLAWHUB_SITE: api.url })

    expect((await ofSite('search', 'pdf')).output).toMatch(/Kit@pdf +@Acme +PDF kit +score [01]\.\d{3}/)
    expect((await ofSite('inspect', 'acme/was@pdf')).output).toContain('Kit@pdf  PDF kit')
  })

  inBothModes(
    (urls) => serveRecords(urls, records),
    (served) => inspections(run, served),
  )
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
