/**
 * The smallest servers of several kinds, with which a service is compared: the first argument names the kind, the second
 * what it answers with. Each imports only what it needs, since its memory is measured.
 */
import { readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { listen } from '../support/local-server.js'

const type = 'application/json; charset=utf-8'

const kinds = {
  /** The floor of HTTP: returns the same answer to every request, the file of this path. */
  'node:http': async (path) => {
    const body = readFileSync(path)
    return (_request, response) =>
      response.writeHead(200, { 'Content-Type': type, 'Content-Length': body.length }).end(body)
  },
  /** The smallest Koa: answers every request with the same JSON, the file of this path. */
  koa: async (path) => {
    const body = readFileSync(path)
    return koa(async (context) => {
      context.body = body
    })
  },
  /** The same, compressed for each request, as a server does that has many answers. */
  'koa gzip': async (path) => {
    const body = readFileSync(path)
    const pack = promisify(gzip)
    return koa(async (context) => {
      context.set('Content-Encoding', 'gzip')
      context.body = await pack(body)
    })
  },
  /** The smallest Koa over MongoDB: answers `/owner/repo` with that skill of the database at this URL. */
  'koa with findOne': async (url) => {
    const { MongoClient } = await import('mongodb')
    const client = await MongoClient.connect(url)
    const skills = client.db().collection<{ _id: string; record: string }>('catalog_skills')
    return koa(async (context) => {
      const found = await skills.findOne({ _id: context.path.slice(1) }, { projection: { record: 1 } })
      context.body = `{"data":${found?.record ?? null}}`
    })
  },
  /** Forwards a search to a Meilisearch with the official client; these encodings are accepted, any where it is empty. */
  'koa with search': async (encoding) => {
    const { Meilisearch } = await import('meilisearch')
    const index = new Meilisearch({
      host: process.env['MEILI_URL'] ?? '',
      apiKey: process.env['MEILI_KEY'] ?? '',
      ...(encoding === '' ? {} : { requestInit: { headers: { 'Accept-Encoding': encoding } } }),
    }).index<{ skill: string }>('skills')
    return koa(async (context) => {
      const options = { limit: 20, attributesToRetrieve: ['skill' as const] }
      const { hits, estimatedTotalHits } = await index.search(String(context.query['q']), options)
      context.body = { data: hits.map(({ skill }) => JSON.parse(skill)), total: estimatedTotalHits }
    })
  },
} satisfies Record<string, (given: string) => Promise<RequestListener>>

export type BareKind = keyof typeof kinds

/** A Koa with one handler, which sets the body. */
async function koa(handle: (context: import('koa').Context) => Promise<void>): Promise<RequestListener> {
  const { default: Koa } = await import('koa')
  const app = new Koa()
  app.use((context) => {
    context.type = type
    return handle(context)
  })
  return app.callback()
}

const [kind = '', given = ''] = process.argv.slice(2)
const url = await listen(createServer(await kinds[kind as BareKind](given)))
process.stdout.write(`${url}\nCtrl-C stops it.\n`)
