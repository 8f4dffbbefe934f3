import { describe, expect, test } from '@jest/globals'
import { loadSample } from '../../services/standalone/load-sample.js'
import { aPrompt } from '../support/factories.js'
import { openJobBench } from '../support/job-bench.js'
import { withOverrides } from '../support/with-overrides.js'

describe('loadSample', () => {
  test('fills an empty catalog, once', async () => {
    const { catalog } = await openJobBench()

    expect(await loadSample(catalog)).toBe(true)
    expect(await catalog.listIds('skills', null, 1_000)).toHaveLength(300)
    expect(await catalog.listIds('prompts', null, 1_000)).toHaveLength(40)
    expect(await catalog.listIds('organizations', null, 1_000)).toHaveLength(60)

    expect(await loadSample(catalog)).toBe(false)
  })

  test('does not change a catalog with records', async () => {
    const { catalog } = await openJobBench()
    await catalog.put('prompts', [aPrompt()])

    expect(await loadSample(catalog)).toBe(false)

    expect(await catalog.listIds('skills', null, 10)).toEqual([])
  })

  test('is not loaded again after its records were removed', async () => {
    const { catalog } = await openJobBench()
    await loadSample(catalog)
    for (const type of ['skills', 'prompts', 'organizations'] as const) {
      await catalog.remove(type, await catalog.listIds(type, null, 1_000))
    }

    expect(await loadSample(catalog)).toBe(false)
  })

  test('is completed when it was interrupted', async () => {
    const { catalog } = await openJobBench()
    const dying = withOverrides(catalog, {
      put: (type, records) => (type === 'prompts' ? Promise.reject(new Error('killed')) : catalog.put(type, records)),
    })
    await expect(loadSample(dying)).rejects.toThrow('killed')

    expect(await loadSample(catalog)).toBe(true)

    expect(await catalog.listIds('prompts', null, 1_000)).toHaveLength(40)
  })
})
