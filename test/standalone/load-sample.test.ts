import { describe, expect, test } from '@jest/globals'
import { loadSample } from '../../services/standalone/greeting.js'
import { openEmbedded } from '../../shared/adapters/embedded/open-embedded.js'
import { skillOf } from '../../shared/records/skill.js'
import type { TextMode } from '../../shared/text/skill-text.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { silentLog } from '../support/test-log.js'
import { withOverrides } from '../support/with-overrides.js'

/** A catalog that the service has created in an empty folder. */
const openNew = () => openEmbedded(temporaryFolder(), { threads: false, awaitsSample: true, log: silentLog() })

describe('loadSample', () => {
  test('brings the texts of skills, which the setting of the catalog may leave out', async () => {
    const numberOfTexts = async (...textMode: TextMode[]) => {
      const { catalog, close } = await openNew()
      await loadSample(catalog, ...textMode)
      const { skills } = await catalog.listSkills({ filters: {}, sort: 'name', order: 'asc', limit: 1_000 })
      const texts = await Promise.all(skills.map((skill) => catalog.readText(skillOf(skill))))
      await close()
      return texts.filter((text) => text !== null).length
    }

    expect(await numberOfTexts()).toBeGreaterThan(120)
    expect(await numberOfTexts('off')).toBe(0)
  })

  test('is not loaded again after its records were removed', async () => {
    const { catalog, close } = await openNew()
    await loadSample(catalog)
    for (const type of ['skills', 'prompts', 'organizations'] as const) {
      await catalog.remove(type, await catalog.listIds(type, null, 1_000))
    }

    expect(await loadSample(catalog)).toBe(false)
    await close()
  })

  test('is completed when it was interrupted', async () => {
    const { catalog, close } = await openNew()
    const dying = withOverrides(catalog, {
      put: (type, records) => (type === 'prompts' ? Promise.reject(new Error('killed')) : catalog.put(type, records)),
    })
    await expect(loadSample(dying)).rejects.toThrow('killed')

    expect(await loadSample(catalog)).toBe(true)

    expect(await catalog.listIds('prompts', null, 1_000)).toHaveLength(40)
    await close()
  })
})
