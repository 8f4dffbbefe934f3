import type { Duplex } from 'node:stream'
import { Connection } from 'mongodb/lib/cmap/connection.js'

declare module 'mongodb' {
  interface MongoClientOptions {
    /** The class of connections. An option of the driver that its types leave out. */
    connectionType?: typeof Connection
  }
}

/**
 * The driver's connection to MongoDB, on which no command waits forever.
 *
 * Where a socket does not accept a command at once, the driver waits until it is drained. A closed socket never is, and
 * emits no error when it was closed on purpose: a large write to a server that then hangs would not end, nor would a
 * command to a server that has just closed its connections; if that is the driver's heartbeat, every later call fails.
 * Here a closed socket counts as drained: the driver continues, and sees that the connection is closed.
 *
 * @see https://github.com/mongodb/node-mongodb-native `writeCommand` and `cleanup` of `src/cmap/connection.ts`, and the
 * option `connectionType` of `src/mongo_client.ts`, as of 7.9
 */
export class EndingConnection extends Connection {
  constructor(socket: Duplex, options: object) {
    super(socket, options)
    // After the driver's own listener, which records the end.
    socket.once('close', () => socket.emit('drain'))
  }
}
