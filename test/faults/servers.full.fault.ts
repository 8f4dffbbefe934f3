import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { aSkill } from '../support/factories.js'
import { startOwnMeilisearch } from '../support/own-servers.js'
import { servers } from '../support/run-servers.js'
import { whenServer } from '../support/servers.js'
import { fillDisk, testOnSmallDisk } from '../support/small-disk.js'
import { expectInvariant } from './support/invariant.js'
import { relayedCatalog } from './support/own-catalog.js'

const name = 'Meilisearch has no room left on its disk: the checkpoint stays, searches go on, all is caught up with'

whenServer('mongodb', (mongodb) => {
  if (!servers.meilisearch.found()) {
    test.skip(`${name} (meilisearch is missing: ${servers.meilisearch.remedy})`, () => undefined)
    return
  }
  testOnSmallDisk(
    name,
    async ({ folder, remount }) => {
      remount('size=32m')
      const meilisearch = await startOwnMeilisearch([], folder)
      const skills = ['one', 'two'].map((repo) => aSkill({ repo }))
      const { env, client, put, sync, position } = await relayedCatalog(mongodb(), meilisearch.url, skills)
      const before = await position()
      const ballast = join(folder, 'ballast')
      fillDisk(ballast)
      await put(
        ...Array.from({ length: 200 }, (_, n) => aSkill({ repo: `tool-${n}`, description: 'words '.repeat(300) })),
      )

      await expect(sync()).rejects.toMatchObject({ code: 'search_unavailable' })

      expect(await position()).toBe(before)
      expect((await client.index('skills').search('')).estimatedTotalHits).toBe(2)

      await rm(ballast)
      expect(await sync()).toMatchObject({ published: 200, rejected: 0 })
      expect(await expectInvariant(env)).toMatchObject({ compared: 202 })
    },
    180_000,
  )
})
