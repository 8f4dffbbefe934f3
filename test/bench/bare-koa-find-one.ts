/** The smallest Koa over MongoDB: one handler that answers `/owner/repo` with that document of its argument's database. */
import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import { MongoClient } from 'mongodb'

const client = await MongoClient.connect(process.argv[2] ?? '')
const skills = client.db().collection('skills')
const app = new Koa()
app.use(async (context) => {
  const found = await skills.findOne({ '_catalog.id': context.path.slice(1) }, { projection: { _id: 0, _catalog: 0 } })
  context.type = 'application/json; charset=utf-8'
  context.body = JSON.stringify({ data: found })
})
const server = app.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\nCtrl-C stops it.\n`)
})
