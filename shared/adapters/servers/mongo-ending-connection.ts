import type { Duplex } from 'node:stream'
import { Connection } from 'mongodb/lib/cmap/connection.js'

declare module 'mongodb' {
  interface MongoClientOptions {
    /** The class of each connection. The driver knows this option, and its types hide it. */
    connectionType?: typeof Connection
  }
}

/**
 * The driver's connection to MongoDB, on which no command waits for ever.
 *
 * Where a socket does not take a command at once, the driver waits until it is drained. A socket that is closed never
 * is, and tells of no error when it was closed on purpose: a large write to a server that then stands still would not
 * end, nor would a question to a server that has just closed its connections; and with the driver's own question,
 * whether the server is there, every call fails from then on. Here a closed socket counts as drained: the driver goes
 * on, and sees that the connection is closed.
 *
 * @see https://github.com/mongodb/node-mongodb-native `writeCommand` and `cleanup` of `src/cmap/connection.ts`, and the
 * option `connectionType` of `src/mongo_client.ts`, as of 7.9
 */
export class EndingConnection extends Connection {
  constructor(socket: Duplex, options: object) {
    super(socket, options)
    // Behind the driver's own listener, which notes the end.
    socket.once('close', () => socket.emit('drain'))
  }
}
