import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { SqliteCatalogStore } from '../../shared/adapters/embedded/sqlite-catalog-store.js'
import { SqliteDatabase } from '../../shared/adapters/embedded/sqlite-database.js'
import { migrate } from '../../shared/adapters/embedded/sqlite-migrations.js'
import { anOrganization, aPrompt, aSkill } from '../support/factories.js'
import { temporaryFolder } from '../support/temporary-folder.js'

test('a file of the version before is rid of e-mail addresses when it is opened, and its changes say so', async () => {
  const db = new SqliteDatabase(join(temporaryFolder(), 'catalog.db'))
  try {
    migrate(db)
    const catalog = new SqliteCatalogStore(db, temporaryFolder())
    const address = 'jane@mail.example'
    const homepage = `https://acme.example/${address}`
    await catalog.put('skills', [
      aSkill({ repo: 'clean', description: 'npm install @acme/clean@1.2.3' }),
      aSkill({
        repo: 'signed',
        name: `Signed by ${address}`,
        topics: ['pdf', address],
        description: address,
        homepage,
      }),
    ])
    await catalog.put('prompts', [
      aPrompt({ id: address, content: `By ${address}`, type: address, author: 'jane&#64;mail.example' }),
    ])
    await catalog.put('organizations', [
      anOrganization({ login: 'acme', name: 'jane&amp;#64;mail.example', url: homepage }),
    ])
    const { watermark } = await catalog.changesAfter(null, 10)
    db.exec('PRAGMA user_version = 3')

    migrate(db)

    const { changes } = await catalog.changesAfter(watermark, 10)
    expect(changes.map(({ id }) => id)).toEqual(['acme/signed'])
    const exported = await Promise.all(
      (['skills', 'prompts', 'organizations'] as const).map((type) => catalog.exportRows(type, 10)),
    )
    expect(exported.map(({ rows }) => rows.length)).toEqual([2, 1, 1])
    const listed = await catalog.listSkills({ filters: { topics: ['pdf'] }, sort: 'name', order: 'asc', limit: 10 })
    expect(listed.skills).toMatchObject([
      { name: 'Signed by (address removed)', topics: ['pdf'], description: '(address removed)', homepage: null },
    ])
    const everything = JSON.stringify([exported, listed, changes, await catalog.computeStats()])
    expect(everything).toContain('@acme/clean@1.2.3')
    expect(everything).not.toContain('jane')

    migrate(db)
    expect((await catalog.changesAfter(watermark, 10)).changes).toHaveLength(1)
  } finally {
    db.close()
  }
})
