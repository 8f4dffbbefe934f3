import { expect, test } from '@jest/globals'
import { MongoClient } from 'mongodb'
import { catalogIn } from '../../shared/adapters/servers/mongo/catalog/catalog.js'
import { connectMongo } from '../../shared/adapters/servers/mongo/connection.js'
import { ensureIndexes } from '../../shared/adapters/servers/mongo/indexes.js'
import { defaultDocumentSettings } from '../../shared/records/document-settings.js'
import { digestOf } from '../../shared/text/skill-text.js'
import { aLock } from '../support/a-lock.js'
import { afterTest } from '../support/after-test.js'
import { aSkill } from '../support/factories.js'
import { freshDatabase } from '../support/mongo-database.js'
import { whenServer } from '../support/servers.js'

/** The documents of a batch. */
const size = 1_000

/** Of one batch of documents, with the position up to which events are read. */
const maxCommands = 20

/** Of records that are put: their documents, the ingest of them, and their events. */
const maxCommandsOfPut = 50

whenServer('mongodb', (url) => {
  async function open() {
    const address = freshDatabase(url())
    const connection = await connectMongo(`${address}${address.includes('?') ? '&' : '?'}monitorCommands=true`)
    const crawler = await MongoClient.connect(address)
    afterTest(() => Promise.all([connection.client.close(), crawler.close()]))
    await ensureIndexes(connection.db, defaultDocumentSettings.changedField)
    let names: string[] = []
    // A cursor that is closed before its end costs one command more, which nobody waits for.
    connection.client.on('commandStarted', ({ commandName, command }) => {
      if (commandName !== 'killCursors') {
        names.push(`${commandName} of ${command[commandName]}`)
      }
    })
    const commandsOf = async (work: () => Promise<unknown>) => {
      names = []
      await work()
      return names
    }
    const catalog = catalogIn(connection, defaultDocumentSettings)
    return {
      catalog,
      ingest: catalog.documents,
      skills: crawler.db().collection('skills'),
      commandsOf,
    }
  }

  const skillsOf = (stars: number) =>
    Array.from({ length: size }, (_, place) => aSkill({ owner: 'acme', repo: `r${place}`, stars }))

  test('put: a batch costs at most as many commands, for new and for changed records', async () => {
    const { catalog, commandsOf } = await open()
    for (const stars of [1, 2]) {
      const commands = await commandsOf(() => catalog.put('skills', skillsOf(stars)))
      expect(commands.length).toBeLessThanOrEqual(maxCommandsOfPut)
    }
  })

  test('put: documents with texts are read, and their rows written, as often as without', async () => {
    const { catalog, commandsOf } = await open()
    const text = '# Lift'
    const digest = digestOf(text)
    const put = async (owner: string, areKept: boolean) => {
      const skills = ['a', 'b', 'c'].map((repo) => aSkill({ owner, repo, digest }))
      const contents = skills.map(({ id }) => ({ id, digest, text, files: { files: [], total: 0 } }))
      return commandsOf(() => catalog.put('skills', skills, areKept ? { contents } : {}))
    }
    // The first stores the position of the events.
    await put('first', true)

    const [without, withTexts] = [await put('without', false), await put('with', true)]

    const ofSkills = (commands: string[]) => commands.filter((name) => /of (catalog_)?skills$/.test(name)).sort()
    expect(ofSkills(withTexts)).toEqual([...ofSkills(without), 'find of catalog_skills'].sort())
    expect(await catalog.readText({ id: 'with/a', digest })).toMatchObject({ text })
  })

  test('ingest: a batch of changes costs at most as many commands', async () => {
    const { ingest, skills, commandsOf } = await open()
    const lock = aLock({ name: 'ingest' })
    await ingest.ingest(lock)
    const updatedAt = new Date()
    await skills.insertMany(
      Array.from({ length: size }, (_, place) => ({ owner: 'acme', repo: `r${place}`, name: 'A', updatedAt })),
    )
    const commands = await commandsOf(() => ingest.ingest(lock))
    expect(commands.length).toBeLessThanOrEqual(maxCommands)
  })
})
