import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { operatorError } from './errors.js'

/** Where to listen, as it is configured. */
export interface ListenOptions {
  host: string
  /** 0 takes any free one. */
  port: number
  /** The variable that the port came from, for the message. */
  variable: string
}

/**
 * Has a server listen.
 *
 * @returns where it can be reached, for instance `http://127.0.0.1:3000`
 * @throws AppError `port_in_use`, `cannot_listen` for the operator
 */
export async function listen(server: Server, { host, port, variable }: ListenOptions): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        error.code === 'EADDRINUSE'
          ? operatorError('port_in_use', `Port ${port} is taken. End what listens there, or set ${variable}.`, error)
          : operatorError(
              'cannot_listen',
              `Cannot listen on ${host}:${port} (${error.code}). Set HOST and ${variable}.`,
              error,
            ),
      ),
    )
    server.listen(port, host, resolve)
  })
  const { address, family, port: actualPort } = server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${actualPort}`
}
