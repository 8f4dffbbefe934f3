import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { type Document, MongoClient } from 'mongodb'

/** Node reports each new connection. */
const channel = 'net.client.socket'

/** Makes of the names and options that the driver writes those that it refuses, of the same length. */
function odd(bytes: Buffer): Buffer {
  for (let at = bytes.indexOf('~bsontype'); at >= 0; at = bytes.indexOf('~bsontype')) {
    bytes.write('_', at)
  }
  for (let at = bytes.indexOf('odd option\0u\0'); at >= 0; at = bytes.indexOf('odd option\0u\0')) {
    bytes.write('g', at + 'odd option\0'.length)
  }
  return bytes
}

/**
 * Inserts documents as an application with another driver does: `~bsontype` becomes `_bsontype`, a name that the driver
 * of Node refuses to write, and the option `u` of a regular expression becomes `g`, which it refuses to read.
 */
export async function insertBytes(address: string, collection: string, documents: Document[]): Promise<void> {
  const makeOdd = (message: unknown) => {
    const { socket } = message as { socket: Socket }
    // Node sets the method itself when it connects.
    socket.once('connect', () => {
      const write = socket.write.bind(socket)
      socket.write = (bytes: Uint8Array | string) => write(odd(Buffer.from(bytes)))
    })
  }
  subscribe(channel, makeOdd)
  const client = new MongoClient(address)
  try {
    const { writeErrors } = await client.db().command({ insert: collection, documents })
    if (writeErrors !== undefined) {
      throw new Error(JSON.stringify(writeErrors))
    }
  } finally {
    await client.close()
    unsubscribe(channel, makeOdd)
  }
}
