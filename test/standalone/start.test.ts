import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { greetingEnd, npmStart, type ServiceProcess } from '../support/service-process.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { sendTo } from '../support/test-app.js'

describe('npm start', () => {
  test('on a folder without a catalog serves the sample on all five endpoints; started again it has the same data', async () => {
    const env = { DATA_DIR: temporaryFolder() }
    // Files of others, and an empty folder that is mounted for the exports.
    writeFileSync(join(env.DATA_DIR, 'README'), 'Backed up every night.')
    mkdirSync(join(env.DATA_DIR, 'exports'))

    const first = npmStart(env)
    await first.says(greetingEnd)
    const answers = await askAll(first)
    const greeting = first.stdout()
    first.signal('SIGTERM')
    expect(await first.ended).toBe(0)

    expect(greeting).toContain('300 skills, 40 prompts and 60 organizations from the sample')
    expect(greeting).toContain(`curl '${first.url()}/api/v1/skills/search?q=pdf'`)
    expect(answers.list).toMatchObject({ pagination: { total: 300 } })
    expect(answers.one).toMatchObject({ data: { id: 'quillmoor/pdf-table-lifter' } })
    expect(answers.found).toMatchObject({
      data: expect.arrayContaining([expect.objectContaining({ owner: 'Quillmoor' })]),
    })
    expect(answers.stats).toMatchObject({
      data: {
        totals: { skills: 300, prompts: 40, organizations: 60 },
        freshness: { lastSyncAt: expect.any(String), exportsGeneratedAt: expect.any(String) },
      },
    })
    expect(answers.exported).toMatchObject({ type: 'skills', total: 300, count: 300, truncated: false })

    const second = npmStart(env)
    await second.says(greetingEnd)
    expect(await askAll(second)).toEqual(answers)
    expect(second.stdout()).not.toContain('the sample')
    second.signal('SIGINT')
    expect(await second.ended).toBe(0)
  })
})

/** The response of each endpoint, without the parts that differ between requests. */
async function askAll(service: ServiceProcess) {
  const get = async (path: string) => {
    const answer = await sendTo(service.url(), 'GET', path)
    expect([path, answer.status]).toEqual([path, 200])
    return answer.body
  }
  return {
    list: await get('/api/skills?limit=100'),
    one: await get('/api/skills/Quillmoor/pdf-table-lifter'),
    found: { ...Object(await get('/api/v1/skills/search?q=pdf')), tookMs: null },
    stats: await get('/api/v1/stats'),
    exported: await get('/api/v1/export?type=skills'),
  }
}
