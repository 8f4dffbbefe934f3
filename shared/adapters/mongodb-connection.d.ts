/** The connection class inside MongoDB's driver; its own types hide how one is made. */
declare module 'mongodb/lib/cmap/connection.js' {
  export class Connection {
    constructor(socket: import('node:stream').Duplex, options: object)
  }
}
