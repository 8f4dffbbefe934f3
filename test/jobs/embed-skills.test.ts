import { describe, expect, test } from '@jest/globals'
import { embedSkills } from '../../services/indexer/jobs/embed-skills.js'
import { rebuildIndex } from '../../services/indexer/jobs/rebuild-index.js'
import { reconcile } from '../../services/indexer/jobs/reconcile.js'
import { syncIndex } from '../../services/indexer/jobs/sync-index.js'
import { skillOf } from '../../shared/records/skill.js'
import { stateKeys } from '../../shared/state-keys.js'
import { aLock } from '../support/a-lock.js'
import { aModel, type TestModel } from '../support/a-model.js'
import { aQuery, aSkill } from '../support/factories.js'
import { type JobBench, openJobBench } from '../support/job-bench.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { keptLog } from '../support/test-log.js'

const skills = [
  aSkill({ repo: 'beds', name: 'garden-almanac', description: 'When to sow and harvest vegetables.' }),
  aSkill({ repo: 'sauce', name: 'tomato-ketchup', description: 'Cooks sauces.' }),
]

const unembeddedSince = ({ catalog }: JobBench) => catalog.readState<number>(stateKeys.unembeddedSince)

/** The skills that are found by what a text means. */
async function foundByMeaning({ index }: JobBench, model: TestModel, text: string): Promise<string[]> {
  const meaning = { vector: await model.vectorOf(text), alone: true } as const
  const { hits, byMeaning } = await index.search(aQuery('zzzzzz', { meaning }))
  expect(byMeaning).toBe(true)
  return hits.map((hit) => skillOf(hit).name)
}

const foundByWords = async ({ index }: JobBench, text: string): Promise<string[]> =>
  (await index.search(aQuery(text))).hits.map((hit) => skillOf(hit).name)

/** A bench whose index has vectors of this model. */
const openBench = (model: TestModel, dataDir = temporaryFolder()) => openJobBench({}, dataDir, model)

/** An index with the skills and their vectors. */
async function anIndex(name?: string) {
  const model = aModel(name)
  const bench = await openBench(model)
  await bench.catalog.put('skills', skills)
  await bench.run(syncIndex)
  return { model, bench }
}

describe('a sync without its embedder', () => {
  test('indexes the words, and embed-skills adds the vectors when it answers again', async () => {
    const model = aModel()
    const bench = await openBench(model)
    const { log, lines } = keptLog()
    await bench.run(syncIndex)
    expect(await embedSkills.hasWork?.(bench)).toBe(false)
    model.isDown = true
    await bench.catalog.put('skills', skills)

    expect(await bench.run(syncIndex, { log })).toEqual({ published: 2, removed: 0, rejected: 0 })
    expect(await foundByWords(bench, 'ketchup')).toEqual(['tomato-ketchup'])
    expect(await foundByMeaning(bench, model, 'growing vegetables')).toEqual([])
    expect(await unembeddedSince(bench)).toBe(0)
    expect(await embedSkills.hasWork?.(bench)).toBe(true)

    // Later changes do not move the position, wait for the embedder, or repeat the message.
    model.calls = 0
    await bench.catalog.put('skills', [aSkill({ repo: 'late', name: 'late-skill' })])
    await bench.run(syncIndex, { log })
    expect(model.calls).toBe(0)
    expect(await unembeddedSince(bench)).toBe(0)
    expect(lines.filter(({ msg }) => String(msg).includes('found by their words only'))).toHaveLength(1)
    await expect(bench.run(embedSkills)).rejects.toMatchObject({ code: 'embedder_unavailable' })
    expect(await unembeddedSince(bench)).toBe(0)

    model.isDown = false
    expect(await bench.run(embedSkills)).toEqual({ published: 3 })
    expect(await unembeddedSince(bench)).toBeNull()
    expect(await foundByMeaning(bench, model, 'growing vegetables')).toContain('garden-almanac')
    expect(await foundByWords(bench, 'ketchup')).toEqual(['tomato-ketchup'])
    expect(await bench.run(embedSkills)).toEqual({ published: 0 })
    expect(await embedSkills.hasWork?.(bench)).toBe(false)
    expect(await bench.run(reconcile)).toMatchObject({ compared: 3, missing: 0, extra: 0, different: 0 })
  })

  test('keeps the vectors of skills whose text is the same', async () => {
    const { model, bench } = await anIndex()
    model.isDown = true
    await bench.catalog.put('skills', [{ ...aSkill(), ...skills[0], stars: 7 }])

    await bench.run(syncIndex)

    expect(await foundByMeaning(bench, model, 'growing vegetables')).toContain('garden-almanac')
    expect(await unembeddedSince(bench)).toBeNull()
  })

  test('skills that a comparison indexes without vectors are embedded later, however old they are', async () => {
    const { model, bench } = await anIndex()
    await bench.catalog.put('skills', [aSkill({ repo: 'other' })])
    await bench.run(syncIndex)
    await bench.index.apply({ publish: [], remove: ['acme/beds'] }, 'live', aLock())
    model.isDown = true

    expect(await bench.run(reconcile)).toMatchObject({ missing: 1, repaired: 1 })
    expect(await foundByMeaning(bench, model, 'growing vegetables')).not.toContain('garden-almanac')

    model.isDown = false
    await bench.run(embedSkills)
    expect(await foundByMeaning(bench, model, 'growing vegetables')).toContain('garden-almanac')
  })

  test('a skill that was removed meanwhile is not embedded', async () => {
    const model = aModel()
    const bench = await openBench(model)
    model.isDown = true
    await bench.catalog.put('skills', skills)
    await bench.run(syncIndex)
    await bench.catalog.remove('skills', ['acme/beds'])
    await bench.run(syncIndex)
    model.isDown = false
    model.asked.length = 0

    await bench.run(embedSkills)

    expect(model.asked.filter((text) => text !== 'skill')).toEqual(['tomato-ketchup. Cooks sauces.'])
    expect(await bench.index.status()).toMatchObject({ documents: 1 })
  })
})

describe('a rebuild', () => {
  test('without its embedder fails, and leaves the live index', async () => {
    const { model, bench } = await anIndex()
    model.isDown = true

    await expect(bench.run(rebuildIndex)).rejects.toMatchObject({ code: 'embedder_unavailable' })
    expect(await foundByMeaning(bench, model, 'growing vegetables')).toContain('garden-almanac')
    expect(await unembeddedSince(bench)).toBeNull()

    model.isDown = false
    expect(await bench.run(rebuildIndex)).toMatchObject({ documents: 2 })
  })

  test('asks for no vector that the index has, and for that of a changed text', async () => {
    const { model, bench } = await anIndex()
    expect(model.asked).toHaveLength(2)
    model.asked.length = 0
    const [beds] = skills
    await bench.catalog.put('skills', [{ ...aSkill(), ...beds, description: 'When to prune roses.', stars: 3 }])

    expect(await bench.run(rebuildIndex)).toMatchObject({ documents: 2 })

    expect(model.asked).toEqual(['garden-almanac. When to prune roses.'])
    expect(await foundByMeaning(bench, model, 'cooking')).toContain('tomato-ketchup')
    await bench.run(syncIndex)
    expect(model.asked).toHaveLength(1)
  })
})

describe('a changed model', () => {
  test('the next sync builds the index again next to the live one, with vectors of the new model only', async () => {
    const { bench: first } = await anIndex('model/1')
    const after = aModel('model/2')
    const second = await openBench(after, first.dataDir)
    const live = await second.index.search(
      aQuery('ketchup', { meaning: { vector: await after.vectorOf('x'), alone: false } }),
    )
    // Until then the index answers by words.
    expect(live).toMatchObject({ byMeaning: false, total: 1 })

    after.isDown = true
    await expect(second.run(syncIndex)).rejects.toMatchObject({ code: 'embedder_unavailable' })
    expect(await foundByWords(second, 'ketchup')).toEqual(['tomato-ketchup'])
    after.isDown = false
    expect(await second.run(syncIndex)).toMatchObject({ rebuilt: true, documents: 2 })

    expect(after.asked).toHaveLength(2)
    expect(await foundByMeaning(second, after, 'growing vegetables')).toContain('garden-almanac')
    expect(await second.run(syncIndex)).toEqual({ published: 0, removed: 0, rejected: 0 })
  })

  test('other dimensions under the same name are refused with what to do; the live index goes on', async () => {
    const { model: before, bench: first } = await anIndex('model/1')
    const after = aModel('model/1', 384)
    const second = await openBench(after, first.dataDir)
    await second.catalog.put('skills', [aSkill({ repo: 'new', name: 'new-skill' })])

    await expect(second.run(syncIndex)).rejects.toMatchObject({
      message: expect.stringMatching(/384 dimensions.* of 256: .*EMBEDDER_MODEL.* npm run catalog -- rebuild/),
    })
    expect(await foundByWords(second, 'ketchup')).toEqual(['tomato-ketchup'])
    expect(await foundByMeaning(first, before, 'growing vegetables')).toContain('garden-almanac')

    // The second remedy of the message.
    expect(await second.run(rebuildIndex)).toMatchObject({ documents: 3 })
    expect(await foundByMeaning(second, after, 'growing vegetables')).toContain('garden-almanac')
    expect(await second.run(syncIndex)).toEqual({ published: 0, removed: 0, rejected: 0 })
  })

  test('other dimensions in the middle of a rebuild begin it again', async () => {
    const before = aModel('model/1')
    const first = await openBench(before)
    await first.catalog.put(
      'skills',
      Array.from({ length: 1_500 }, (_, n) => aSkill({ repo: `s${n}`, name: `tool ${n}` })),
    )
    before.failAfter = 1_100
    await expect(first.run(rebuildIndex)).rejects.toMatchObject({ code: 'embedder_unavailable' })

    const second = await openBench(aModel('model/1', 384), first.dataDir)
    expect(await second.run(rebuildIndex)).toMatchObject({ documents: 1_500, resumed: false })
  })
})
