import type { Socket } from 'node:net'
import { BSON } from 'mongodb'
import { startTcpRelay } from './own-tcp-relay.js'

/** MongoDB's OP_MSG: a header of 16 bytes, flags, and a section of kind 0 that begins with the command. */
const [opMsg, bodyAt] = [2_013, 21]

/** A relay to a MongoDB that refuses some of the commands, as a server does for which they are not permitted. */
interface RefusingRelay {
  /** The URL of the same database through it. */
  url: string
  /** The names of the commands to refuse; `$changeStream` refuses the aggregations that open one. */
  refused: Set<string>
}

/** Opens such a relay; it ends with the test. */
export async function startRefusingRelay(target: string): Promise<RefusingRelay> {
  const relay = await startTcpRelay(target)
  const refused = new Set<string>()
  relay.forward = (client, server) => forward(client, server, refused)
  return { url: relay.url, refused }
}

function forward(client: Socket, server: Socket, refused: ReadonlySet<string>): void {
  let waiting = Buffer.alloc(0)
  client.on('data', (chunk: Buffer) => {
    waiting = Buffer.concat([waiting, chunk])
    while (waiting.length >= bodyAt && waiting.length >= waiting.readInt32LE(0)) {
      const message = waiting.subarray(0, waiting.readInt32LE(0))
      waiting = waiting.subarray(message.length)
      const name = refusedName(message, refused)
      if (name === null) {
        server.write(message)
      } else {
        client.write(refusal(message, name))
      }
    }
  })
}

/** The command in a message, where it is one to refuse; else null. */
function refusedName(message: Buffer, refused: ReadonlySet<string>): string | null {
  if (refused.size === 0 || message.readInt32LE(12) !== opMsg) {
    return null
  }
  const command = BSON.deserialize(message.subarray(bodyAt, bodyAt + message.readInt32LE(bodyAt)))
  const [name = ''] = Object.keys(command)
  const opensStream = JSON.stringify(command['pipeline'] ?? '').includes('$changeStream')
  return [name, ...(opensStream ? ['$changeStream'] : [])].find((each) => refused.has(each)) ?? null
}

function refusal(message: Buffer, name: string): Buffer {
  const answer = { ok: 0, errmsg: `${name} is not to be had here`, code: 115, codeName: 'CommandNotSupported' }
  const body = BSON.serialize(answer)
  const head = Buffer.alloc(bodyAt)
  head.writeInt32LE(bodyAt + body.length, 0)
  head.writeInt32LE(message.readInt32LE(4), 8)
  head.writeInt32LE(opMsg, 12)
  return Buffer.concat([head, body])
}
