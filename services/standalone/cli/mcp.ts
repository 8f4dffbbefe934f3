import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import {
  deserializeMessage,
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  serializeMessage,
  type Transport,
} from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
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

/** Bytes of a message: far more than any request has. */
const maxMessageBytes = 1_048_576

/** The answer to a message that is not read, so that its id is not known. */
const refusal = (message: string, code = -32_600) =>
  `${JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } })}\n`

const tooLong = refusal(`The message has more than ${maxMessageBytes} bytes: send a smaller one.`)

/** Revision 2025-03-26 had batches: their requests would wait for an answer for ever. */
const noMessage = refusal(
  'The line is no message of JSON-RPC 2.0. Batches are not supported: send each message on a line of its own.',
)

const noJson = refusal('The line is no JSON: send each message as JSON on one line, and nothing else.', -32_700)

/** The lines of the input, each byte as a character; of one that is too long, the start. The last may lack its end. */
async function* shortLines(input: Readable): AsyncGenerator<string> {
  const joined = (line: string, more: string) =>
    line.length > maxMessageBytes ? line : (line + more).slice(0, maxMessageBytes + 1)
  let line = ''
  for await (const chunk of input) {
    const [rest = '', ...lines] = Buffer.from(chunk).toString('latin1').split('\n')
    line = joined(line, rest)
    for (const next of lines) {
      yield line
      line = joined('', next)
    }
  }
  yield line
}

/**
 * A transport over standard input and output that answers all that it has read before it ends: of a file of requests, or a
 * pipe, the input ends long before the last answer, and the transport of the SDK ends with it.
 */
class AnsweringTransport implements Transport {
  onmessage: Transport['onmessage']
  onclose: Transport['onclose']
  onerror: Transport['onerror']
  readonly #stdin: Readable
  readonly #stdout: Writable
  /** How many requests of an id were read, and not answered yet. */
  readonly #open = new Map<unknown, number>()
  #whenAnswered: () => void = () => undefined
  #lastSent: Promise<void> = Promise.resolve()

  constructor(stdin: Readable, stdout: Writable) {
    this.#stdin = stdin
    this.#stdout = stdout
  }

  async start(): Promise<void> {
    // `answerAll` reads.
  }

  /** Reads the input. Resolves when all requests in it are answered, or the transport is closed. */
  async answerAll(): Promise<void> {
    try {
      for await (const line of shortLines(this.#stdin)) {
        this.#receive(line)
      }
    } catch {
      // The input was closed before its end: nothing more arrives.
    }
    if (this.#open.size > 0) {
      await new Promise<void>((resolve) => {
        this.#whenAnswered = resolve
      })
    }
  }

  #receive(line: string): void {
    if (line.length > maxMessageBytes) {
      this.#stdout.write(tooLong)
      return
    }
    try {
      // Programs of Windows write the byte order mark of UTF-8 first.
      const message = deserializeMessage(
        Buffer.from(line, 'latin1')
          .toString()
          .replace(/^\uFEFF/, ''),
      )
      if (isJSONRPCRequest(message) && message.method !== withoutAnswer) {
        this.#open.set(message.id, (this.#open.get(message.id) ?? 0) + 1)
      } else if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled') {
        this.#end(message.params?.['requestId'])
      }
      this.onmessage?.(message)
    } catch (error) {
      if (line.trim() !== '' && error instanceof Error) {
        if (error.name === 'SyntaxError') {
          this.#stdout.write(noJson)
        } else if ('issues' in error) {
          this.#stdout.write(noMessage)
        }
        this.onerror?.(error)
      }
    }
  }

  send(message: JSONRPCMessage): Promise<void> {
    // One after the other: each waits for a slow reader of the output.
    const sent = this.#lastSent.then(async () => {
      if (!this.#stdout.write(serializeMessage(message))) {
        await once(this.#stdout, 'drain')
      }
    })
    this.#lastSent = sent
      .catch(() => undefined)
      .then(() => {
        if (isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) {
          this.#end(message.id)
        }
      })
    return sent
  }

  async close(): Promise<void> {
    // Where the command was stopped, input may still be awaited.
    this.#stdin.destroy()
    this.#open.clear()
    this.#whenAnswered()
    this.onclose?.()
  }

  #end(id: unknown): void {
    const number = this.#open.get(id) ?? 0
    this.#open[number > 1 ? 'set' : 'delete'](id, number - 1)
    if (this.#open.size === 0) {
      this.#whenAnswered()
    }
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
  await serve(cli, askInProcess(depsFor()))
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
  const transport = new AnsweringTransport(stdin, stdout)
  const connection = serveStdio(
    () => createMcpServer({ ask, toClientError: (thrown) => toProblemError(describe(thrown), randomUUID(), log) }),
    {
      transport,
      onerror: (error) => log.warn({ err: error }, 'a message of the client was refused'),
    },
  )
  await Promise.race([transport.answerAll(), once(signal, 'abort')])
  await connection.close()
}
