/**
 * The smallest Koa: one handler that answers every request with the same JSON, the file that its argument names; with a
 * second argument, `gzip`, compressed for each request, as a server does that has many answers.
 */
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import Koa from 'koa'

const body = readFileSync(process.argv[2] ?? '')
const pack = promisify(gzip)
const app = new Koa()
if (process.argv[3] === 'gzip') {
  app.use(async (context) => {
    context.type = 'application/json; charset=utf-8'
    context.set('Content-Encoding', 'gzip')
    context.body = await pack(body)
  })
} else {
  app.use((context) => {
    context.type = 'application/json; charset=utf-8'
    context.body = body
  })
}
const server = app.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\nCtrl-C stops it.\n`)
})
