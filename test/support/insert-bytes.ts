import { once } from 'node:events'
import { connect } from 'node:net'
import { BSON, type Document } from 'mongodb'

/** MongoDB's OP_MSG, of one command without flags. */
function message(command: Document): Buffer {
  const body = BSON.serialize(command)
  const head = Buffer.alloc(21)
  head.writeInt32LE(head.length + body.length, 0)
  head.writeInt32LE(2_013, 12)
  return Buffer.concat([head, body])
}

/**
 * Inserts documents as an application with another driver does: `~bsontype` becomes `_bsontype`, a name that the driver
 * of Node refuses to write, and the option `u` of a regular expression becomes `g`, which it refuses to read.
 */
export async function insertBytes(address: string, collection: string, documents: Document[]): Promise<void> {
  const { hostname, port, pathname } = new URL(address)
  const bytes = message({ insert: collection, documents, $db: pathname.slice(1) })
  for (let at = bytes.indexOf('~bsontype'); at >= 0; at = bytes.indexOf('~bsontype')) {
    bytes.write('_', at)
  }
  for (let at = bytes.indexOf('odd option\0u\0'); at >= 0; at = bytes.indexOf('odd option\0u\0')) {
    bytes.write('g', at + 'odd option\0'.length)
  }
  const socket = connect(Number(port), hostname)
  socket.write(bytes)
  const answer: Buffer[] = []
  socket.on('data', (bytes: Buffer) => {
    answer.push(bytes)
    socket.end()
  })
  await once(socket, 'close')
  const answered = answer.length === 0 ? {} : BSON.deserialize(Buffer.concat(answer).subarray(21))
  if (answered['ok'] !== 1 || answered['writeErrors'] !== undefined) {
    throw new Error(JSON.stringify(answered))
  }
}
