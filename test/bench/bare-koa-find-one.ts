/** The smallest Koa over MongoDB: one handler that answers `/owner/repo` with that skill of its argument's database. */
import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import { MongoClient } from 'mongodb'

const client = await MongoClient.connect(process.argv[2] ?? '')
const skills = client.db().collection<{ _id: string; record: string }>('catalog_skills')
const app = new Koa()
app.use(async (context) => {
  const found = await skills.findOne({ _id: context.path.slice(1) }, { projection: { record: 1 } })
  context.type = 'application/json; charset=utf-8'
  context.body = `{"data":${found?.record ?? null}}`
})
const server = app.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\nCtrl-C stops it.\n`)
})
