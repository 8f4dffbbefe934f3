import { type AddressInfo, createServer, type Server } from 'node:net'
import { operatorError } from './errors.js'

/** Connections that wait to be accepted. Beyond them the system drops attempts, which clients repeat after seconds. */
const backlog = 4_096

/**
 * For `maxHeadersCount` of a server: no limit but the 16 KiB of all headers. By default Node drops those after the first
 * thousand or so, and says nothing.
 */
export const allHeaders = 0

interface ListenOptions {
  host: string
  /** 0 takes any free one. */
  port: number
  /** The variable of the port, for the message. */
  variable: string
}

/**
 * Checks that a port is free, before a start writes anything.
 *
 * @throws AppError as `listen`
 */
export async function checkPort(options: ListenOptions): Promise<void> {
  const server = createServer()
  await listen(server, options)
  await new Promise((resolve) => server.close(resolve))
}

const noAddress = 'no address is known for this name'

const reasons: { [code: string]: string | undefined } = {
  EADDRNOTAVAIL: 'this machine has no such address',
  ENOTFOUND: noAddress,
  EAI_AGAIN: noAddress,
  EACCES: 'this user may not open that port',
}

const reasonOf = ({ code = 'unknown' }: NodeJS.ErrnoException): string => reasons[code] ?? code

/**
 * Starts listening.
 *
 * @returns the URL, for instance `http://127.0.0.1:3000`
 * @throws AppError `port_in_use`, `cannot_listen` for the operator
 */
export async function listen(server: Server, { host, port, variable }: ListenOptions): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        error.code === 'EADDRINUSE'
          ? operatorError(
              'port_in_use',
              `Port ${port} is in use. Stop the program that listens there, or set ${variable}.`,
              error,
            )
          : operatorError(
              'cannot_listen',
              `Cannot listen on ${host}:${port} (${reasonOf(error)}). Set HOST and ${variable}.`,
              error,
            ),
      ),
    )
    server.listen({ port, host, backlog }, resolve)
  })
  const { address, family, port: actualPort } = server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${actualPort}`
}
