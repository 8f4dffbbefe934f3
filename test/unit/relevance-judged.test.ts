import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { skillId } from '../../shared/records/skill.js'
import { projectRoot } from '../../shared/runtime/project-root.js'
import { readJudged } from '../relevance/judged.js'

const sampleIds = readFileSync(join(projectRoot(), 'infra', 'sample', 'skills.ndjson'), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as { owner: string; repo: string })
  .map(({ owner, repo }) => skillId(owner, repo))

test('judged files are used for the records for which they were made, and else named', () => {
  const { sets, skipped } = readJudged(new Set(sampleIds))

  expect(sets.map(({ name, heldOut }) => [name, heldOut])).toEqual([
    ['sample-kept', true],
    ['sample-texts-kept', true],
    ['sample-texts-tuning', false],
    ['sample-tuning', false],
  ])
  expect(skipped).toEqual([expect.stringMatching(/^kept .*: 0 %/), expect.stringMatching(/^tuning .*: 0 %/)])
})

test('every record that the sample files want is in the sample', () => {
  const wanted = readJudged(new Set(sampleIds)).sets.flatMap(({ queries }) =>
    queries.flatMap(({ best, good }) => [...best, ...good]),
  )

  // Only the number is shown: some of these queries are held out.
  expect(wanted.filter((id) => !sampleIds.includes(id)).length).toBe(0)
})
