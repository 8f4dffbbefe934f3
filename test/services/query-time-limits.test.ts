import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { type Document, MongoClient } from 'mongodb'
import { endpoints } from '../../services/query/endpoints.js'
import { GridFsExportStore } from '../../shared/adapters/servers/exports/gridfs-export-store.js'
import { catalogIn } from '../../shared/adapters/servers/mongo/catalog/catalog.js'
import { ensureIndexes } from '../../shared/adapters/servers/mongo/indexes.js'
import type { SearchPage } from '../../shared/ports/search-index.js'
import { defaultDocumentSettings } from '../../shared/records/document-settings.js'
import { toPublicSkill } from '../../shared/records/skill.js'
import { projectRoot } from '../../shared/runtime/project-root.js'
import { aSkill } from '../support/factories.js'
import { freshDatabase } from '../support/mongo-database.js'
import { runProgram } from '../support/programs.js'
import { whenServer } from '../support/servers.js'
import { postBody, startTestApp } from '../support/test-app.js'
import { silentLog } from '../support/test-log.js'

/** Requests that together cause every query: at least one for each endpoint with parameters. */
const requests: { [endpointName: string]: string[] } = {
  'list-skills': [
    '/api/skills',
    '/api/skills?topic=pdf&archived=true&minStars=1',
    '/api/skills?page=4&limit=1&sort=stars',
    '/api/skills?ids=acme/one,acme/old,acme/none',
  ],
  'get-skill': ['/api/skills/acme/one', '/api/skills/acme/kit', '/api/skills/acme/old', '/api/skills/acme/none'],
  'related-skills': ['/api/skills/acme/one/related', '/api/skills/acme/none/related'],
  'skill-text': ['/api/skills/acme/one/SKILL.md', '/api/skills/acme/two/SKILL.md'],
  'skill-files': ['/api/skills/acme/one/files', '/api/skills/acme/none/files'],
  'skill-history': ['/api/skills/acme/one/history', '/api/skills/acme/none/history'],
  'organization-page': ['/organizations/acme'],
  'topic-page': ['/topics/pdf'],
  'organization-index': ['/organizations'],
  'topic-index': ['/topics'],
  'repository-index': ['/repositories'],
  'skill-page': ['/skills/acme/one', '/skills/acme/none'],
  'named-skill-page': ['/skills/acme/kit/one'],
  'suggest-skills': ['/api/v1/skills/suggest?q=one'],
  'find-skills': ['/api/search?q=one&owner=acme'],
  'skills-index': ['/.well-known/agent-skills/index.json'],
  'repository-skills-index': ['/skills/acme/kit/.well-known/agent-skills/index.json'],
  'clawhub-search': ['/clawhub/api/v1/search?q=one'],
  'clawhub-skill': ['/clawhub/api/v1/skills/one?ownerHandle=acme', '/clawhub/api/v1/skills/old?ownerHandle=acme'],
  'ard-agents': ['/agents?pageSize=1', '/agents?filter=tags%3Dpdf'],
  'ard-agent': ['/agents/urn%3Aair%3Askill-catalog.invalid%3Askills%3Aacme%3Aone'],
  'search-skills': ['/api/v1/skills/search?q=one'],
  'list-changes': ['/api/v1/changes', '/api/v1/changes?limit=1'],
  export: ['/api/v1/export?type=skills', '/api/v1/export?type=prompts&format=csv'],
  'export-manifest': ['/api/v1/exports/20200101T000000000Z/manifest.json'],
  'export-signature': ['/api/v1/exports/20200101T000000000Z/manifest.json.minisig'],
  'dataset-table': ['/api/v1/exports/20200101T000000000Z-dataset/skills.parquet'],
  'dataset-catalog': ['/api/v1/exports/20200101T000000000Z-dataset/catalog.sqlite'],
  'sitemap-part': ['/sitemaps/1.xml'],
}

const found = [
  aSkill({ owner: 'acme', repo: 'one', stars: 3, topics: ['pdf'], formerIds: ['acme/old'] }),
  aSkill({ owner: 'acme', repo: 'two', digest: `sha256:${'0'.repeat(64)}` }),
]

/** What the index finds, which has no skills of a database: hits whose texts are read, for passages and a reranker. */
const foundPage: SearchPage = {
  hits: found.map((skill) => ({
    record: JSON.stringify(toPublicSkill(skill)),
    ...{ score: 0.5, matches: null, explanation: null, duplicates: 0, textWords: ['word'], others: null },
  })),
  ...{ total: found.length, totalIsLowerBound: false, facets: {}, byMeaning: true },
}

/** Reading commands: the query service makes no writes. */
const readers = new Set(['find', 'aggregate', 'count', 'distinct'])

whenServer('mongodb', (url) => {
  test('every query of a request has a time limit below that of the request', async () => {
    const client = new MongoClient(freshDatabase(url()), { monitorCommands: true, ignoreUndefined: true })
    const db = client.db()
    try {
      await ensureIndexes(db, defaultDocumentSettings.changedField)
      const catalog = catalogIn({ client, db }, defaultDocumentSettings)
      const api = await startTestApp({
        catalog,
        changes: catalog.changes,
        ingest: catalog.documents,
        exports: new GridFsExportStore({ db, log: silentLog() }),
        replace: ({ index }) => ({
          index: Object.assign(Object.create(index), { search: async () => foundPage }),
          reranker: { timeLimitMs: 1_000, fits: async (_, texts) => texts.map(() => 0) },
        }),
        skills: [...found, aSkill(), aSkill({ stars: 1 }), aSkill({ owner: 'acme', repo: 'kit', skill: 'one' })],
      })
      await api.publishExports()
      const snapshot = String((await api.get('/api/v1/export?type=skills')).headers['content-location'])
      const sent: Document[] = []
      client.on('commandStarted', ({ commandName, command }) => {
        if (readers.has(commandName)) {
          sent.push(command)
        }
      })
      const asked = new Set<string>()
      const collections = new Set<string>()

      const entries = [{ id: 'acme/two', digest: 'a'.repeat(64) }, { id: 'acme/old' }, { id: 'acme/none' }]
      for (const { name, path, methods = ['GET'] } of endpoints) {
        const paths = name === 'export-file' ? [snapshot] : (requests[name] ?? [path])
        for (const each of paths) {
          const isPost = name !== 'mcp' && !methods.includes('GET')
          const { status } = isPost ? await postBody(`${api.url}${each}`, { skills: entries }) : await api.get(each)
          expect({ each, isAnswered: status < 500 && !each.includes(':') }).toMatchObject({ isAnswered: true })
        }
        for (const command of sent.splice(0)) {
          asked.add(`${name}: ${command['find'] ?? command['aggregate']}`)
          collections.add(String(command['find'] ?? command['aggregate'] ?? command['count'] ?? command['distinct']))
          const limit = command['maxTimeMS'] ?? null
          expect({ name, command, limit, isLimited: limit > 0 && limit < 5_000 }).toMatchObject({ isLimited: true })
        }
      }

      // What its user may read, see below.
      expect([...collections].filter((name) => !readable.includes(name))).toEqual([])
      expect([...asked]).toEqual(
        expect.arrayContaining([
          'list-skills: catalog_skills',
          'get-skill: catalog_skills',
          'skill-text: skill_texts',
          'search-skills: skill_texts',
          'resolve-skills: catalog_skills',
          'resolve-skills: skill_texts',
          'skill-history: star_histories',
          'skill-page: catalog_skills',
          'topic-page: catalog_skills',
          'stats: state',
          'list-changes: catalog_skills',
          'export-file: exports.chunks',
          'sitemap: state',
        ]),
      )
    } finally {
      await client.close()
    }
  })

  // The stand-in has no users.
  const admin = process.env['MONGODB_ADMIN_URL']
  ;(admin === undefined ? test.skip : test)(
    'with a MongoDB that has users (MONGODB_ADMIN_URL): a query service cannot read documents',
    async () => {
      const address = String(admin)
      process.env['MONGO_PASSWORD'] = 'of-the-indexer'
      process.env['MONGO_READER_PASSWORD'] = 'of-the-reader'
      const created = await runProgram('mongosh', [
        '--quiet',
        address,
        join(projectRoot(), 'infra/mongo/create-user.js'),
      ])
      expect(created.stderr).toBe('')
      const reader = new URL(address.replace(/^mongodb/, 'http'))
      reader.username = 'catalog_reader'
      reader.password = 'of-the-reader'
      reader.pathname = '/catalog'
      const client = await MongoClient.connect(reader.toString().replace(/^http/, 'mongodb'))
      try {
        for (const name of ['skills', 'prompts', 'organizations', 'dead_letters', 'locks']) {
          await expect(client.db().collection(name).findOne()).rejects.toMatchObject({ code: 13 })
        }
        await expect(client.db().collection('catalog_skills').insertOne({})).rejects.toMatchObject({ code: 13 })
        expect(await client.db().collection('catalog_skills').estimatedDocumentCount()).toBeGreaterThanOrEqual(0)
      } finally {
        await client.close()
      }
    },
  )
})

/** The collections that the user of the query services may read. */
const [, names = ''] =
  /const readable = \[(.*?)\]/s.exec(readFileSync(join(projectRoot(), 'infra/mongo/create-user.js'), 'utf8')) ?? []
const readable = [...names.matchAll(/'([\w.]+)'/g)].map(([, name]) => String(name))
