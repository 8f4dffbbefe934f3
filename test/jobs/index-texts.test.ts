import { expect, test } from '@jest/globals'
import { rebuildIndex } from '../../services/indexer/jobs/rebuild-index.js'
import { syncIndex } from '../../services/indexer/jobs/sync-index.js'
import { BuiltInEmbedder } from '../../shared/embedding/built-in-embedder.js'
import { skillOf } from '../../shared/records/skill.js'
import { aQuery, aSkill } from '../support/factories.js'
import { openJobBench } from '../support/job-bench.js'
import { keepContents } from '../support/keep-contents.js'
import { withOverrides } from '../support/with-overrides.js'

const digest = `sha256:${'a'.repeat(64)}`
const withText = (repo: string) => aSkill({ repo, digest })

/** A catalog whose index keeps the texts that it is given, by id. */
async function aCatalog() {
  const bench = await openJobBench()
  const { catalog } = bench
  const texts = new Map<string, string | null>()
  const index = withOverrides(bench.index, {
    apply: async (...args: Parameters<typeof bench.index.apply>) => {
      const [{ publish, remove }] = args
      for (const { id, text } of publish) {
        texts.set(id, text)
      }
      for (const id of remove) {
        texts.delete(id)
      }
      return bench.index.apply(...args)
    },
  })
  const run = (job = syncIndex) => bench.run(job, { index })
  const keep = (repo: string, text: string) =>
    keepContents(catalog, [{ id: `acme/${repo}`, digest, text, files: { files: [], total: 0 } }])
  return { catalog, texts, run, keep }
}

test('a text that is kept, changed or dropped after its record was indexed comes to the index', async () => {
  const { catalog, texts, run, keep } = await aCatalog()
  await catalog.put('skills', [withText('late'), withText('other')])
  await run()
  expect([...texts.values()]).toEqual([null, null])

  await keep('late', '---\nname: late\n---\nOne.')
  expect(await run()).toMatchObject({ published: 1 })
  expect(texts.get('acme/late')).toBe('One.')
  await keep('late', 'Two.')
  await run()
  expect(texts.get('acme/late')).toBe('Two.')

  await catalog.put('skills', [aSkill({ repo: 'late' })])
  await run()
  expect(texts.get('acme/late')).toBeNull()
  expect(await run()).toEqual({ published: 0, removed: 0, rejected: 0 })
})

test('the text of a hidden or removed skill is in no index', async () => {
  const { catalog, texts, run, keep } = await aCatalog()
  await catalog.put('skills', [withText('hidden'), withText('removed'), withText('kept')])
  for (const repo of ['hidden', 'removed', 'kept']) {
    await keep(repo, `Text of ${repo}.`)
  }
  await run()
  expect([...texts.keys()]).toHaveLength(3)
  await catalog.setStates('skills', [{ id: 'acme/hidden', state: 'hidden', removedAt: null }])
  await catalog.remove('skills', ['acme/removed'])
  await run()
  await keep('hidden', 'Another text.')
  await run()
  expect([...texts]).toEqual([['acme/kept', 'Text of kept.']])

  texts.clear()
  await run(rebuildIndex)
  expect([...texts]).toEqual([['acme/kept', 'Text of kept.']])
  await catalog.setStates('skills', [{ id: 'acme/hidden', state: 'published', removedAt: null }])
  await run()
  expect(texts.get('acme/hidden')).toBe('Another text.')
})

test('what a text is about counts in the meaning of its skill', async () => {
  const bench = await openJobBench()
  const same = { name: 'helper', description: 'For your garden.', digest }
  await bench.catalog.put('skills', [aSkill({ repo: 'other', stars: 9, ...same }), aSkill({ repo: 'late', ...same })])
  const [vector] = await new BuiltInEmbedder().embed(['growing vegetables'], 'query')
  const found = async () => {
    await bench.run(syncIndex)
    const meaning = vector === undefined ? null : { vector, alone: true }
    return (await bench.index.search(aQuery('growing vegetables', { meaning }))).hits.map((hit) => skillOf(hit).repo)
  }
  expect(await found()).toEqual(['other', 'late'])

  const text = 'When to sow and harvest tomatoes and beans in your garden.'
  await keepContents(bench.catalog, [{ id: 'acme/late', digest, text, files: { files: [], total: 0 } }])
  expect(await found()).toEqual(['late', 'other'])
})

test('texts are handed to the index in batches of few megabytes', async () => {
  const bench = await openJobBench()
  const skills = Array.from({ length: 2_500 }, (_, place) => withText(`tool-${place}`))
  await bench.catalog.put('skills', skills)
  const readTexts = async (read: { id: string }[]) => new Map(read.map(({ id }) => [id, 'a'.repeat(16_384)]))
  const sizes: number[] = []
  const index = withOverrides(bench.index, {
    apply: async (changes: Parameters<typeof bench.index.apply>[0]) => {
      sizes.push(changes.publish.length)
      return { rejected: [] }
    },
  })
  await bench.run(syncIndex, { index, catalog: withOverrides(bench.catalog, { readTexts }) })

  expect(sizes).toEqual([2_000, 500])
})
