import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from '@jest/globals'
import { MongoClient } from 'mongodb'
import { startCatalogOn } from '../support/catalog-command.js'
import { startOwnRedis, testWithOwnRedis } from '../support/own-servers.js'
import { whenServer } from '../support/servers.js'
import { emptyCatalog } from '../support/servers-catalog.js'
import { temporaryFolder } from '../support/temporary-folder.js'

/** Of each document; together several times the memory that the commands have. */
const readmeBytes = 1_024 * 1_024
const documents = 300
const heapMegabytes = 110

whenServer('mongodb', (mongodb) => {
  whenServer('meilisearch', (meilisearch) => {
    testWithOwnRedis('documents that are large together are read in little memory', async () => {
      const env = await emptyCatalog(mongodb(), meilisearch(), (await startOwnRedis()).url)
      const client = await MongoClient.connect(env.MONGODB_URL)
      const readme = 'x'.repeat(readmeBytes)
      for (const type of ['skills', 'prompts', 'organizations']) {
        for (let n = 0; n < documents / 3; n += 10) {
          await client
            .db()
            .collection(type)
            .insertMany(
              Array.from({ length: 10 }, (_, place) => {
                const name = `n${n + place}`
                return { id: name, owner: name, login: name, repo: 'tool', title: name, content: name, readme }
              }),
            )
        }
      }
      await client.close()
      const limited = { ...env, NODE_OPTIONS: `--max-old-space-size=${heapMegabytes}` }

      const file = join(temporaryFolder(), 'skills.ndjson')
      const known = Array.from({ length: documents / 3 }, (_, n) => `{"owner":"n${n}","repo":"tool"}\n`)
      writeFileSync(file, known.join(''))
      for (const args of [
        ['sync', '--local'],
        ['verify', '--local'],
        ['import', file, '--type', 'skills', '--dry-run'],
      ]) {
        const command = startCatalogOn(limited, [...args, '--json'])
        command.stdin.end()
        const { status, stderr, json } = await command.ended
        expect({ args, status, stderr }).toEqual({ args, status: 0, stderr: '' })
        expect(json).toMatchObject({ status: 0 })
      }
    })
  })
})
