import type { Command } from 'commander'
import { z } from 'zod'
import { findService } from '../../../shared/adapters/open.js'
import { AppError, operatorError } from '../../../shared/runtime/errors.js'
import { fetchFailure, onlyVisible, parseJson, readRetryAfter } from '../../../shared/runtime/http-answers.js'
import { readQueryConfig } from '../../../shared/runtime/query-config.js'
import { printableLine, shorten } from '../../../shared/text/clean-text.js'
import { apiRequest } from '../../../shared/text/parse-url.js'
import { catalogAddress, readText, requestSource, type SourceResponse } from '../mirror/request-source.js'
import type { CommandLine } from './command-line.js'

/** A person waits: a service that needs longer is reported. */
const maxMs = 30_000

const maxResponseBytes = 8 * 1024 * 1024
const maxMessageCharacters = 1_000

/** A text on one line: it must not look like lines of this program. */
const Line = z.string().transform(printableLine)

/** The members of problem details that are shown (RFC 9457). */
const Problem = z.object({
  code: z.string().catch('request_refused'),
  detail: Line.catch(''),
  suggestions: z.array(Line).catch([]),
  errors: z.array(z.object({ parameter: Line, message: Line })).catch([]),
})

/** The answer of an API: as it was sent, and with its known members checked. */
export interface ApiAnswer<Known> {
  sent: Record<string, unknown>
  known: Known
}

/**
 * Asks the public API of a catalog.
 *
 * @param sent the body of a POST; absent: the request is a GET
 * @param url given with --url; undefined: the service of the data folder, or the configured one on this machine
 * @throws AppError with the status and code of the problem details; `bad_arguments`, `service_unavailable`,
 *   `not_a_catalog`
 */
export async function askApi<Schema extends z.ZodObject>(
  cli: CommandLine,
  url: string | undefined,
  path: string,
  schema: Schema,
  sent?: object,
): Promise<ApiAnswer<z.output<Schema>>> {
  const base = await baseOf(cli, url)
  const text = await send(`${base}${path}`, base, cli.signal, sent)
  const body = parseJson(text, onlyVisible)
  const parsed = schema.safeParse(body)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw notACatalog(base, [...(issue?.path ?? []), issue?.message].join(': '))
  }
  return { sent: Object(body), known: parsed.data }
}

/** As `askApi`, for a text of another media type. */
export async function askForText(cli: CommandLine, url: string | undefined, path: string): Promise<string> {
  const base = await baseOf(cli, url)
  return send(`${base}${path}`, base, cli.signal)
}

/** Adds the option that names a service. */
export const withUrl = (command: Command): Command =>
  command.option(
    '--url <address>',
    'of a service (default: that of the data folder, else the configured one on this machine)',
  )

/** @throws AppError `bad_arguments` */
async function baseOf(cli: CommandLine, given: string | undefined): Promise<string> {
  return catalogAddress(given ?? (await findUrl(cli)))
}

/** The address of the service that runs on the data folder; without one, that of the configured query service. */
async function findUrl({ config, env }: CommandLine): Promise<string> {
  const running = config.mode === 'embedded' ? await findService(config.dataDir) : null
  // A service that listens on every network interface answers on this machine's own.
  return (running?.url ?? configuredUrl(env)).replace(/^http:\/\/(0\.0\.0\.0|\[::\])/, 'http://127.0.0.1')
}

function configuredUrl(env: NodeJS.ProcessEnv): string {
  const { host, port } = readQueryConfig(env)
  if (port === 0) {
    throw operatorError(
      'bad_arguments',
      'PORT is 0, so the port of the service is not known: give its address with --url.',
    )
  }
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

async function send(url: string, base: string, signal: AbortSignal, sent?: object): Promise<string> {
  const { address, body } = sent === undefined ? apiRequest(url) : { address: url, body: JSON.stringify(sent) }
  const headers = {
    Accept: 'application/json',
    'User-Agent': 'skill-catalog-cli',
    ...(body !== null && { 'Content-Type': 'application/json' }),
  }
  try {
    return await requestSource(address, { headers, body, maxMs, maxIdleMs: maxMs, signal }, async (response) => {
      if (response.status === 200) {
        return readText(response, maxResponseBytes)
      }
      throw await refusalOf(response, base)
    })
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof AppError) {
      throw error
    }
    throw operatorError(
      'service_unavailable',
      `${base} does not answer (${fetchFailure(error)}). Start a service (npm start, on servers npm run start:query), or give another address with --url.`,
      error,
    )
  }
}

/** The error for an answer with another status: its detail, and what to do. */
async function refusalOf(response: SourceResponse, base: string): Promise<AppError> {
  const { status, statusText, headers } = response
  const body = parseJson(await readText(response, maxResponseBytes))
  if (typeof body !== 'object' || body === null) {
    return notACatalog(base, `it answers ${status} ${statusText}, and no problem details`)
  }
  const { code, suggestions, errors, ...problem } = Problem.parse(body)
  // Where POST is not allowed, the address is not that of an endpoint which takes it.
  if (code === 'unknown_path' || code === 'method_not_allowed') {
    return notACatalog(base, 'the API is not below it', code)
  }
  // A path of the API is for programs.
  const detail = problem.detail.replace(
    / Search for it with \/\S+$/,
    ' Search for it with: npm run catalog -- search <words>',
  )
  const waitMs = readRetryAfter(headers)
  const lines = [
    ...(detail === '' ? [`${base} answers ${status} ${statusText}.`] : []),
    ...(errors.length === 0
      ? [detail]
      : errors.map(({ parameter, message }) => `${optionOf(parameter)}: ${message}`)
    ).map((line) => shorten(line, maxMessageCharacters)),
    // The details of these statuses may be without the time.
    ...(waitMs === null || /\b\d+ s\b/.test(detail) ? [] : [`Try again in ${Math.ceil(waitMs / 1_000)} s.`]),
    ...(suggestions.length === 0 || suggestions.some((id) => detail.includes(id))
      ? []
      : [`Similar: ${suggestions.join(', ')}.`]),
  ]
  return new AppError(status, code, lines.filter((line) => line !== '').join('\n'))
}

/** The option for a parameter of the API: `--min-stars` for `minStars`. */
export const optionOf = (parameter: string): string =>
  parameter === 'q' ? 'words' : `--${parameter.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`

const notACatalog = (base: string, reason: string, code = 'not_a_catalog'): AppError =>
  operatorError(code, `${base} does not answer as a Skill Catalog does (${reason}). Check the address in --url.`)
