import { expect, test } from '@jest/globals'
import { writeExports } from '../../services/indexer/jobs/write-exports.js'
import { currentFile, readCurrent } from '../support/export-drafts.js'
import { aPrompt } from '../support/factories.js'
import { type JobBench, openJobBench } from '../support/job-bench.js'
import { withOverrides } from '../support/with-overrides.js'

const readPrompts = async (bench: JobBench, format: 'json' | 'csv'): Promise<string> =>
  (await readCurrent(bench.exports, 'prompts', format)) ?? ''

test('more than 10,000 records are truncated, and the file says so', async () => {
  const bench = await openJobBench()
  await bench.catalog.put(
    'prompts',
    Array.from({ length: 10_001 }, (_, place) => aPrompt({ id: `p${place}` })),
  )

  await bench.run(writeExports)

  expect(await currentFile(bench.exports, 'prompts', 'csv')).toMatchObject({
    total: 10_001,
    count: 10_000,
    truncated: true,
  })
  expect(JSON.parse(await readPrompts(bench, 'json'))).toMatchObject({
    total: 10_001,
    count: 10_000,
    truncated: true,
  })
  expect((await readPrompts(bench, 'csv')).split('\r\n')).toHaveLength(10_002)
})

test('prompts of 200 million characters together are truncated, and the file says so', async () => {
  const bench = await openJobBench()
  await bench.catalog.put(
    'prompts',
    ['a', 'b', 'c'].map((id) => aPrompt({ id, content: 'x'.repeat(10) })),
  )
  // As if each character were ten million.
  const catalog = withOverrides(bench.catalog, {
    exportRows: (type, limit, maxCharacters = 0) => bench.catalog.exportRows(type, limit, maxCharacters / 10_000_000),
  })

  await bench.run(writeExports, { catalog })

  expect(JSON.parse(await readPrompts(bench, 'json'))).toMatchObject({
    total: 3,
    count: 2,
    truncated: true,
    data: [{ id: 'a' }, { id: 'b' }],
  })
})
