import type { IncomingMessage } from 'node:http'
import { PassThrough } from 'node:stream'
import { expect, test } from '@jest/globals'
import { readBody } from '../../services/query/request/read-body.js'

const response = { writeContinue: () => undefined }

/** A request whose body the test writes. */
function aRequest(headers: IncomingMessage['headers'] = {}): { body: PassThrough; request: IncomingMessage } {
  const body = new PassThrough()
  return { body, request: Object.assign(body, { headers }) as unknown as IncomingMessage }
}

test('the pieces of a body are joined, also within a character', async () => {
  const { body, request } = aRequest()
  const read = readBody(request, response, 10)
  for (const byte of Buffer.from('縦書き')) {
    body.write(Buffer.of(byte))
  }
  body.end()

  expect(await read).toBe('縦書き')
})

test('a body that is not complete in time is refused', async () => {
  const { body, request } = aRequest()
  body.write('1')

  await expect(readBody(request, response, 5, 20)).rejects.toMatchObject({ status: 408, code: 'request_timeout' })
})

test('a client that leaves ends the reading', async () => {
  const { body, request } = aRequest()
  const read = readBody(request, response, 5)
  body.destroy()

  await expect(read).rejects.toMatchObject({ status: 408 })
})
