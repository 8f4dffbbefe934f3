/** The connection class inside MongoDB's driver, whose own types hide the constructor. */
declare module 'mongodb/lib/cmap/connection.js' {
  export class Connection {
    constructor(socket: import('node:stream').Duplex, options: object)
  }
}
