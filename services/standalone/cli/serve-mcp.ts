import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'
import { openReranker } from '../../../shared/adapters/open.js'
import type { Stores } from '../../../shared/adapters/stores.js'
import { readRerankerConfig } from '../../../shared/runtime/reranker-config.js'
import type { CommandLine } from '../../indexer/cli/command-line.js'
import { createEndpointDeps } from '../../query/endpoint-deps.js'
import { type AskEndpoint, askInProcess } from '../../query/http/ask-endpoint.js'
import { createMcpServer } from '../../query/mcp/server.js'
import { guardBackends } from '../../query/observability/backends.js'
import { toProblemError } from '../../query/problems/to-problem-error.js'
import { answeringTransport } from './answered-input.js'
import { askRemote, unreadAnswer } from './ask-remote.js'

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
