import { expect, test } from '@jest/globals'
import { type Collection, MongoClient, MongoServerError } from 'mongodb'
import { connectMongo } from '../../shared/adapters/servers/mongo/connection.js'
import { ensureIndexes } from '../../shared/adapters/servers/mongo/indexes.js'
import { defaultDocumentSettings } from '../../shared/records/document-settings.js'
import { freshDatabase, openMongoCatalog } from '../support/mongo-database.js'
import { whenServer } from '../support/servers.js'
import { withOverrides } from '../support/with-overrides.js'

whenServer('mongodb', (url) => {
  test('a replica set of another name is the cause that is reported', async () => {
    await expect(connectMongo(`${freshDatabase(url())}?replicaSet=other`)).rejects.toMatchObject({
      code: 'catalog_unavailable',
      cause: { message: 'no server of MONGODB_URL is a member of the replica set other' },
    })
  })

  test('indexes that cannot be created fail the start, and the message names them', async () => {
    const { client, db } = await connectMongo(freshDatabase(url()))
    const refusing = withOverrides(db, {
      collection: (name: string) =>
        withOverrides(db.collection(name), {
          createIndexes: (async (indexes: { name?: string }[]) => {
            if (indexes.some((index) => index.name === 'catalog_sequence')) {
              throw new MongoServerError({ message: 'no more indexes', code: 67, codeName: 'CannotCreateIndex' })
            }
            return []
          }) as unknown as Collection['createIndexes'],
        }),
    } as Partial<typeof db>)

    await expect(ensureIndexes(refusing, 'updatedAt')).rejects.toMatchObject({
      code: 'catalog_indexes_missing',
      message: expect.stringMatching(/catalog_sequence of .*\.catalog_skills \(CannotCreateIndex\)/),
    })
    await client.close()
  })

  test("another application's index of the changed-field is used, or is no obstacle", async () => {
    for (const options of [
      {},
      { name: 'theirs' },
      { name: 'theirs', sparse: true },
      { name: 'catalog_written', expireAfterSeconds: 9_000_000 },
      { name: 'theirs', partialFilterExpression: { stars: { $gt: 1 } } },
    ]) {
      const address = freshDatabase(url())
      const client = await MongoClient.connect(address)
      const skills = client.db().collection('skills')
      await skills.createIndex({ updatedAt: 1 }, options)

      await (await openMongoCatalog(address)).close()
      const created = await skills.indexes()
      await (await openMongoCatalog(address)).close()

      expect(created).toContainEqual(expect.objectContaining({ key: { updatedAt: 1 } }))
      expect(await skills.indexes()).toEqual(created)
      await client.close()
    }
  })

  test('another changed-field replaces the own index', async () => {
    const address = freshDatabase(url())
    await (await openMongoCatalog(address)).close()

    for (const changedField of ['crawled', 'meta.crawledAt']) {
      const settings = { ...defaultDocumentSettings, changedField }
      await (await openMongoCatalog(address, settings)).close()

      const client = await MongoClient.connect(address)
      for (const type of ['skills', 'prompts', 'organizations']) {
        const written = (await client.db().collection(type).indexes()).filter(({ name }) => name === 'catalog_written')
        expect(written).toMatchObject([{ key: { [changedField]: 1 } }])
      }
      await client.close()
    }
  })

  test('an own index of other options is replaced', async () => {
    const address = freshDatabase(url())
    const client = await MongoClient.connect(address)
    const skills = client.db().collection('catalog_skills')
    await skills.createIndex({ state: 1 }, { name: 'catalog_states' })

    await (await openMongoCatalog(address)).close()

    expect(await skills.indexes()).toContainEqual(
      expect.objectContaining({ name: 'catalog_states', key: { state: 1, _id: 1 } }),
    )
    await client.close()
  })

  test('the database is the one in the address, by default catalog', async () => {
    const { origin } = new URL(freshDatabase(url()).replace('mongodb:', 'http:'))
    const server = origin.replace('http:', 'mongodb:')

    for (const [path, name] of [
      ['/skills%20of%20mine', 'skills of mine'],
      ['', 'catalog'],
      ['/', 'catalog'],
      ['/?retryWrites=true', 'catalog'],
    ]) {
      const { client, db } = await connectMongo(`${server}${path}`)
      await client.close()
      expect({ path, name: db.databaseName }).toEqual({ path, name })
    }
  })

  test('an invalid address is rejected with the name of the setting, without the password', async () => {
    await expect(openMongoCatalog('mongo://user:secret@host')).rejects.toMatchObject({
      code: 'bad_configuration',
      message: expect.not.stringContaining('secret'),
    })
  })
})
