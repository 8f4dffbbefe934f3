import { BSON } from 'mongodb'

/** OP_MSG, which carries every command after a connection's first. */
const opMsg = 2_013

/** Monitors the server; the driver does so by itself, on connections of its own. */
const monitoring = new Set(['hello', 'isMaster', 'ismaster'])

/** A server that has nothing to send answers such a request only after so many milliseconds; the stand-in at once. */
const longWaitMs = 20_000

/** Reads the names of MongoDB's commands out of what a driver sends, connection by connection. */
export class MongoCommands {
  /** With their collections, in the order in which they were sent; without those that monitor the server or wait long for changes. */
  readonly names: string[] = []
  readonly #rests = new WeakMap<object, Buffer>()

  /** @see https://www.mongodb.com/docs/manual/reference/mongodb-wire-protocol/ */
  read(chunk: Buffer, connection: object): void {
    let rest = Buffer.concat([this.#rests.get(connection) ?? Buffer.alloc(0), chunk])
    while (rest.length >= 4 && rest.length >= rest.readInt32LE(0)) {
      const message = rest.subarray(0, rest.readInt32LE(0))
      rest = rest.subarray(message.length)
      if (message.readInt32LE(12) === opMsg) {
        // After header, flags and the kind of the section.
        const command = BSON.deserialize(message.subarray(21, 21 + message.readInt32LE(21)))
        const [name = ''] = Object.keys(command)
        const waits = name === 'getMore' && command['maxTimeMS'] >= longWaitMs
        if (!monitoring.has(name) && !waits) {
          this.names.push(`${name} ${name === 'getMore' ? command['collection'] : command[name]}`)
        }
      }
    }
    this.#rests.set(connection, rest)
  }
}
