import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { Readable, type Writable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/server'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'
import { openReranker } from '../../../shared/adapters/open.js'
import type { Stores } from '../../../shared/adapters/stores.js'
import { readRerankerConfig } from '../../../shared/runtime/query-config.js'
import type { CommandLine } from '../../indexer/cli/command-line.js'
import { createEndpointDeps } from '../../query/app.js'
import { createMcpServer } from '../../query/mcp/server.js'
import { guardBackends } from '../../query/observability/backends.js'
import { toProblemError } from '../../query/request/problems.js'
import { type AskEndpoint, askInProcess } from '../../query/request/routes.js'
import { askRemote, unreadAnswer } from './ask-remote.js'

/** Requests that have no answer while they are in progress, except to their end by the client. */
const withoutAnswer = 'subscriptions/listen'

/** Requests that were read, and not answered yet. */
class OpenRequests {
  readonly #numbers = new Map<unknown, number>()
  #whenNone: () => void = () => undefined

  read(message: JSONRPCMessage): void {
    if (isJSONRPCRequest(message) && message.method !== withoutAnswer) {
      this.#numbers.set(message.id, (this.#numbers.get(message.id) ?? 0) + 1)
    } else if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled') {
      this.#end(message.params?.['requestId'])
    }
  }

  sent(message: JSONRPCMessage): void {
    if (isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) {
      this.#end(message.id)
    }
  }

  /** Resolves once there are none. */
  async answered(): Promise<void> {
    if (this.#numbers.size > 0) {
      await new Promise<void>((resolve) => {
        this.#whenNone = resolve
      })
    }
  }

  #end(id: unknown): void {
    const number = this.#numbers.get(id) ?? 0
    this.#numbers[number > 1 ? 'set' : 'delete'](id, number - 1)
    if (this.#numbers.size === 0) {
      this.#whenNone()
    }
  }
}

/** Bytes of a message: far more than any request has. */
const maxMessageBytes = 1_048_576

/** The answer to a message that is not read, so that its id is not known. */
const refusal = (message: string) =>
  `${JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32_600, message } })}\n`

const tooLong = refusal(`The message has more than ${maxMessageBytes} bytes: send a smaller one.`)

/** Revision 2025-03-26 had batches: their requests would wait for an answer for ever. */
const noMessage = refusal(
  'The line is no message of JSON-RPC 2.0. Batches are not supported: send each message on a line of its own.',
)

/** The lines of the input, without those that are too long: nothing is kept of them. @param onLong called for each */
async function* shortLines(input: Readable, onLong: () => void): AsyncGenerator<Buffer> {
  let parts: Buffer[] = []
  let bytes = 0
  for await (const chunk of input) {
    const read = Buffer.from(chunk)
    for (let start = 0; start < read.length; ) {
      const feed = read.indexOf(0x0a, start)
      const part = read.subarray(start, feed === -1 ? read.length : feed + 1)
      start += part.length
      bytes += part.length
      parts.push(part)
      if (bytes > maxMessageBytes) {
        parts = []
      }
      if (feed !== -1) {
        if (bytes > maxMessageBytes) {
          onLong()
        }
        yield withoutMark(Buffer.concat(parts))
        parts = []
        bytes = 0
      }
    }
  }
  if (bytes > maxMessageBytes) {
    onLong()
  }
  yield withoutMark(Buffer.concat(parts))
}

/** A line without the byte order mark of UTF-8, which programs of Windows write first. */
const withoutMark = (line: Buffer): Buffer =>
  line.toString('latin1', 0, 3) === '\xef\xbb\xbf' ? line.subarray(3) : line

/** The input, which ends only when all requests in it are answered. Its last line may lack its end. */
async function* untilAnswered(input: Readable, open: OpenRequests, onLong: () => void): AsyncGenerator<Buffer> {
  try {
    yield* shortLines(input, onLong)
  } catch {
    // The input was closed before its end: nothing more arrives.
  }
  yield Buffer.from('\n')
  await setImmediate()
  await open.answered()
}

/**
 * A transport over standard input and output that answers all that it has read before it ends: of a file of requests, or a
 * pipe, the input ends long before the last answer, and the transport of the SDK ends with it.
 *
 * @returns it, and a promise of its end
 */
function answeringTransport(stdin: Readable, stdout: Writable): Transport & { closed: Promise<void> } {
  const open = new OpenRequests()
  const refuseLong = () => void stdout.write(tooLong)
  const transport: Transport = new StdioServerTransport(Readable.from(untilAnswered(stdin, open, refuseLong)), stdout)
  let last: Promise<void> = Promise.resolve()
  let isClosed: () => void = () => undefined
  const closed = new Promise<void>((resolve) => {
    isClosed = resolve
  })
  return {
    closed,
    start: () => transport.start(),
    close: () => transport.close(),
    send(message, options) {
      // One after the other: each waits for a slow reader of the output.
      const sent = last.then(() => transport.send(message, options))
      last = sent.catch(() => undefined).then(() => open.sent(message))
      return sent
    },
    set onmessage(handle: Transport['onmessage']) {
      transport.onmessage = (message, extra) => {
        open.read(message)
        handle?.(message, extra)
      }
    },
    set onclose(handle: Transport['onclose']) {
      transport.onclose = () => {
        isClosed()
        handle?.()
      }
    },
    set onerror(handle: Transport['onerror']) {
      transport.onerror = (error) => {
        // JSON of another form; the transport skips lines that are no JSON, such as a log.
        if ('issues' in error) {
          stdout.write(noMessage)
        }
        handle?.(error)
      }
    },
  }
}

type Cli = Pick<CommandLine, 'stdin' | 'stdout' | 'log' | 'signal'>

/** Answers from opened stores, until standard input is closed or the command is stopped. */
export async function serveCatalog(cli: Cli, stores: Stores): Promise<void> {
  const { log } = cli
  const clock = Date.now
  const depsFor = createEndpointDeps(guardBackends(stores, { log, clock }), {
    config: { publicUrl: null, trustedProxies: 0 },
    embedder: stores.embedder,
    reranker: await openReranker(readRerankerConfig()),
    log,
    clock,
    onDegraded: () => undefined,
    requestExport: () => undefined,
  })
  await serve(cli, askInProcess(depsFor(), randomUUID()))
}

/**
 * Answers from the public API of another catalog.
 *
 * @throws AppError `bad_arguments` when the address is invalid
 */
export const serveRemote = (cli: Cli, url: string): Promise<void> =>
  serve(cli, askRemote(url, cli.signal), (thrown) =>
    thrown instanceof z.ZodError ? unreadAnswer(url, thrown) : thrown,
  )

async function serve(
  { stdin, stdout, log, signal }: Cli,
  ask: AskEndpoint,
  describe = (thrown: unknown) => thrown,
): Promise<void> {
  const transport = answeringTransport(stdin, stdout)
  const ended = Promise.race([transport.closed, once(signal, 'abort')])
  const connection = serveStdio(
    () => createMcpServer({ ask, toClientError: (thrown) => toProblemError(describe(thrown), randomUUID(), log) }),
    {
      transport,
      onerror: (error) => log.warn({ err: error }, 'a message of the client was refused'),
    },
  )
  await ended
  await connection.close()
  // Where the command was stopped, input may still be awaited.
  stdin.destroy()
}
