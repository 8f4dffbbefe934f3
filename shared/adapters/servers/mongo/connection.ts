import { createRequire } from 'node:module'
import type { Duplex } from 'node:stream'
import {
  type Db,
  MongoClient,
  type MongoClientOptions,
  MongoError,
  MongoParseError,
  MongoServerError,
  MongoServerSelectionError,
} from 'mongodb'
import { AppError, operatorError, queryTimeout, unavailable } from '../../../runtime/errors.js'

/** The class of connections inside of MongoDB's driver, which its types leave out, as they do the option for it. */
const { Connection } = createRequire(import.meta.url)('mongodb/lib/cmap/connection.js') as {
  Connection: new (socket: Duplex, options: object) => object
}

/** How long an operation waits for a suitable server. */
const selectionTimeoutMs = 5_000

/** How long an operation may take; the longest is an aggregation over the whole catalog. */
const answerTimeoutMs = 120_000

const defaultDatabase = 'catalog'

/** MongoDB's codes of errors that an operator can fix. */
const notPermitted = new Set([13, 18, 8000])

/** E11000: a unique index has the value already. */
export const duplicateKey = 11_000

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
class EndingConnection extends Connection {
  constructor(socket: Duplex, options: object) {
    super(socket, options)
    // After the driver's own listener, which records the end.
    socket.once('close', () => socket.emit('drain'))
  }
}

/** A connection to the catalog's database. */
export interface MongoConnection {
  client: MongoClient
  db: Db
}

/**
 * Connects to the database that the address names (`catalog` when it names none).
 *
 * @param writes whether locks and records are written; false: it may read from secondaries, as its address says
 * @throws AppError `bad_configuration` for an invalid address; `catalog_not_permitted` when it refuses access;
 * `catalog_unavailable` when it does not answer
 */
export async function connectMongo(url: string, writes = true): Promise<MongoConnection> {
  const client = openClient(url, writes)
  try {
    await client.connect()
  } catch (error) {
    await client.close()
    throw toAppError(error)
  }
  const named = /^mongodb(?:\+srv)?:\/\/[^/]+\/([^?]+)/.exec(url)?.[1]
  return { client, db: client.db(named === undefined ? defaultDatabase : decodeURIComponent(named)) }
}

function openClient(url: string, writes: boolean): MongoClient {
  try {
    const options: MongoClientOptions & { connectionType: typeof Connection } = {
      connectionType: EndingConnection,
      serverSelectionTimeoutMS: selectionTimeoutMs,
      socketTimeoutMS: answerTimeoutMs,
      // A server that hangs is noticed by its heartbeat, which ends its running calls.
      connectTimeoutMS: selectionTimeoutMs,
      heartbeatFrequencyMS: selectionTimeoutMs,
      // A lagging secondary would return an old lock or position, and a write that is not on most servers may be undone.
      ...(writes ? { readPreference: 'primary' as const, writeConcern: { w: 'majority' as const } } : {}),
      // Bytes that are not UTF-8 become U+FFFD: one damaged text must not make all documents of a batch unreadable.
      enableUtf8Validation: false,
      // Undefined members are left out; the driver would store them as null.
      ignoreUndefined: true,
      appName: 'skill-catalog',
    }
    return new MongoClient(url, options)
  } catch (error) {
    // The message may hold the address, and that the password.
    throw operatorError(
      'bad_configuration',
      'MONGODB_URL is no address of a MongoDB. It looks like mongodb://user:password@host:27017/catalog',
      error,
    )
  }
}

/** Runs an operation, and translates errors of the driver to AppErrors. */
export async function translated<T>(operation: () => Promise<T>): Promise<T> {
  try {
    return await operation()
  } catch (error) {
    throw toAppError(error)
  }
}

/** The same methods, whose errors are translated. */
export const withTranslatedErrors = <T extends object>(methods: T): T =>
  Object.fromEntries(
    Object.entries(methods).map(([name, method]) => [name, (...args: unknown[]) => translated(() => method(...args))]),
  ) as T

/** Translates an error of the driver to an AppError; returns other errors as they are. */
export function toAppError(error: unknown): unknown {
  if (error instanceof AppError || !(error instanceof MongoError || isDnsError(error))) {
    return error
  }
  if (error instanceof MongoParseError) {
    return operatorError('bad_configuration', 'MONGODB_URL is no address of a MongoDB.', error)
  }
  if (error instanceof MongoServerError && notPermitted.has(Number(error.code))) {
    return operatorError(
      'catalog_not_permitted',
      'MongoDB refuses access: check user and password in MONGODB_URL. The user needs readWrite on the database it names.',
      error,
    )
  }
  if (isTimeExpired(error)) {
    return queryTimeout(
      'MongoDB did not answer a query within its time limit: it has too much to do, or lacks an index.',
      error,
    )
  }
  const cause = replicaSetFault(error) ?? error
  return unavailable('catalog_unavailable', 'The catalog is unavailable. Try again in a few seconds.', 5, cause)
}

/** Of `mongodb+srv`, the driver asks the DNS for the servers, and returns the error of Node. */
const isDnsError = (error: unknown): boolean => String(Object(error).syscall).startsWith('query')

/** Why no server of a replica set can be used although all answer, of which the driver says only that it has waited. */
function replicaSetFault(error: unknown): Error | null {
  const { setName = null, servers } = (error instanceof MongoServerSelectionError ? error.reason : null) ?? {}
  if (setName === null || [...(servers?.values() ?? [])].some((server) => server.error !== null)) {
    return null
  }
  const fault =
    servers?.size === 0 ? 'no server of MONGODB_URL is a member of the replica set' : 'no primary in the replica set'
  return new Error(`${fault} ${setName}`)
}

/**
 * What MongoDB answered to a command that it refused; null: it did not answer, or is changing its state, as every error
 * with a label.
 *
 * @param error of the driver, or the AppError that it became
 */
export function refusalOf(error: unknown): string | null {
  const cause = error instanceof AppError ? error.cause : error
  return cause instanceof MongoServerError && cause.errorLabels.length === 0
    ? `${cause.message} (${cause.codeName ?? cause.code})`
    : null
}

/** Whether this is MongoDB's error for a duplicate value in a unique index. */
export const isDuplicateKey = (error: unknown): boolean =>
  error instanceof MongoServerError && error.code === duplicateKey

/** The database's own clock: times that are compared with each other must come from one clock. */
export async function serverTime(db: Db): Promise<Date> {
  return (await db.command({ hello: 1 }))['localTime']
}

/**
 * The maximum total time of the queries of one request. Less than the query service waits for a backend (5 s), so that
 * MongoDB ends them before the request times out.
 */
const requestMs = 4_000

/** The time limit of one query of a job. Less than the driver's timeout (120 s), so that MongoDB ends it. */
const jobMs = 110_000

/** MaxTimeMSExpired. */
const timeExpired = 50

/** A time limit for several queries together. Each must be sent with `limit()`, so that MongoDB ends it in time. */
export class QueryTime {
  readonly #endMs: number

  /** @param limitMs from now on; default: the limit of a request */
  constructor(limitMs = requestMs) {
    this.#endMs = performance.now() + limitMs
  }

  /**
   * The options of the next query: the remaining time, at least 1 ms (0 would mean no limit).
   *
   * @param maxMs the maximum for this query
   */
  limit(maxMs = Number.POSITIVE_INFINITY): { maxTimeMS: number } {
    return { maxTimeMS: Math.max(1, Math.ceil(Math.min(maxMs, this.#endMs - performance.now()))) }
  }
}

/** The time limit for several queries of a job, for which no client waits. */
export const jobTime = (): QueryTime => new QueryTime(jobMs)

/** The options of one query of a job. */
export const jobLimit = { maxTimeMS: jobMs }

/** The options of a query for at most so many documents, so that they come with its first answer. */
export const inOneAnswer = (limit: number) => ({ limit, batchSize: limit })

/** Whether MongoDB ended a query by its time limit. */
export const isTimeExpired = (error: unknown): boolean =>
  error instanceof MongoServerError && error.code === timeExpired
