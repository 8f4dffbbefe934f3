import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { skillId } from '../../shared/records/skill.js'
import { projectRoot } from '../../shared/runtime/project-root.js'
import { readJudged } from '../relevance/judged.js'
import { temporaryFolder } from '../support/temporary-folder.js'

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

test('a file from outside the project may be a list of queries, with ids of one skill of several', () => {
  const path = join(temporaryFolder(), 'others.json')
  const query = { query: 'fill a form', kind: 'c', kind_name: 'keywords', best: ['acme/kit@forms'], good: [] }
  writeFileSync(path, JSON.stringify([query]))

  const { sets } = readJudged(new Set(['acme/kit@forms']), [path])

  expect(sets.map(({ name, heldOut, queries }) => ({ name, heldOut, queries }))).toEqual([
    {
      name: 'others',
      heldOut: false,
      queries: [{ kind: 'c keywords', text: 'fill a form', best: ['acme/kit@forms'], good: [] }],
    },
  ])
})

test('every record that the sample files want is in the sample', () => {
  const wanted = readJudged(new Set(sampleIds)).sets.flatMap(({ queries }) =>
    queries.flatMap(({ best, good }) => [...best, ...good]),
  )

  // Only the number is shown: some of these queries are held out.
  expect(wanted.filter((id) => !sampleIds.includes(id)).length).toBe(0)
})

test('a file of which one record in ten is missing is not used', () => {
  const { sets } = readJudged(new Set(sampleIds))
  const best = [...new Set(sets.find(({ name }) => name === 'sample-tuning')?.queries.flatMap((query) => query.best))]
  const kept = new Set(sampleIds.filter((id) => !best.slice(0, Math.ceil(best.length / 10)).includes(id)))

  expect(readJudged(kept).sets.map(({ name }) => name)).not.toContain('sample-tuning')
})
