import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { afterEach } from '@jest/globals'
import { BSON } from 'mongodb'

/** MongoDB's OP_MSG: a header of 16 bytes, flags, and a section of kind 0 that begins with the command. */
const [opMsg, bodyAt] = [2_013, 21]

/** A relay to a MongoDB that refuses some of the commands, as a server does for which they are not permitted. */
export class RefusingRelay {
  /** The names of the commands to refuse; `$changeStream` refuses the aggregations that open one. */
  readonly refused = new Set<string>()
  readonly #server: Server
  readonly #open = new Set<Socket>()
  readonly #target: URL

  constructor(target: string) {
    this.#target = new URL(target)
    this.#server = createServer((client) => this.#pass(client))
  }

  /** @returns the URL of the same database through this relay */
  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    const url = new URL(this.#target)
    url.host = `127.0.0.1:${(this.#server.address() as AddressInfo).port}`
    return url.href
  }

  async close(): Promise<void> {
    for (const socket of this.#open) {
      socket.destroy()
    }
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #pass(client: Socket): void {
    const server = connect(Number(this.#target.port), this.#target.hostname)
    let waiting = Buffer.alloc(0)
    client.on('data', (chunk: Buffer) => {
      waiting = Buffer.concat([waiting, chunk])
      while (waiting.length >= bodyAt && waiting.length >= waiting.readInt32LE(0)) {
        const message = waiting.subarray(0, waiting.readInt32LE(0))
        waiting = waiting.subarray(message.length)
        const name = this.#nameIn(message)
        if (name === null) {
          server.write(message)
        } else {
          client.write(refusal(message, name))
        }
      }
    })
    server.pipe(client)
    for (const end of [client, server]) {
      this.#open.add(end)
      end.on('error', () => undefined)
      end.once('close', () => {
        this.#open.delete(end)
        client.destroy()
        server.destroy()
      })
    }
  }

  /** The command in a message, where it is one to refuse; else null. */
  #nameIn(message: Buffer): string | null {
    if (this.refused.size === 0 || message.readInt32LE(12) !== opMsg) {
      return null
    }
    return this.#refusedName(BSON.deserialize(message.subarray(bodyAt, bodyAt + message.readInt32LE(bodyAt))))
  }

  #refusedName(command: Record<string, unknown>): string | null {
    const [name = ''] = Object.keys(command)
    const opensStream = JSON.stringify(command['pipeline'] ?? '').includes('$changeStream')
    const refused = [name, ...(opensStream ? ['$changeStream'] : [])].find((each) => this.refused.has(each))
    return refused ?? null
  }
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

/** Opens such a relay; it ends with the test. */
export async function startRefusingRelay(target: string): Promise<{ relay: RefusingRelay; url: string }> {
  const relay = new RefusingRelay(target)
  relays.push(relay)
  return { relay, url: await relay.listen() }
}

const relays: RefusingRelay[] = []

afterEach(() => Promise.all(relays.splice(0).map((relay) => relay.close())))
