import { expect, test } from '@jest/globals'
import { MongoClient } from 'mongodb'
import { connectMongo } from '../../shared/adapters/servers/mongo/connection.js'
import { freshDatabase, openMongoCatalog } from '../support/mongo-database.js'
import { whenServer } from '../support/servers.js'

whenServer('mongodb', (url) => {
  test('indexes that cannot be created fail the start, and the message names them', async () => {
    const address = freshDatabase(url())
    const client = await MongoClient.connect(address)
    await client
      .db()
      .collection('skills')
      .insertMany([{ _catalog: { id: 'acme/one' } }, { _catalog: { id: 'acme/one' } }])
    await client.close()

    await expect(openMongoCatalog(address)).rejects.toMatchObject({
      code: 'catalog_indexes_missing',
      message: expect.stringContaining('catalog_id'),
    })
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

  test('a server that does not answer is reported as unavailable', async () => {
    await expect(openMongoCatalog('mongodb://127.0.0.1:1/catalog')).rejects.toMatchObject({
      code: 'catalog_unavailable',
      status: 503,
    })
  })
})
