import { type Db, MongoClient, MongoError, MongoParseError, MongoServerError } from 'mongodb'
import { AppError, operatorError, unavailable } from '../../errors.js'
import { EndingConnection } from './mongo-ending-connection.js'

/** How long an operation waits for a server that can take it. */
const selectionTimeoutMs = 5_000

/** How long an answer may take: an aggregation over the whole catalog is the longest that is asked for. */
const answerTimeoutMs = 120_000

/** The database's name when the address has none. */
const defaultDatabase = 'catalog'

/** MongoDB's numbers for what an operator can mend. */
const notPermitted = new Set([13, 18, 8000])

/** E11000: a unique index has the value already. */
export const duplicateKey = 11_000

/** A connection to the catalog's database. */
export interface MongoConnection {
  client: MongoClient
  db: Db
}

/**
 * Connects to the database that the address names (`catalog` when it names none).
 *
 * @throws AppError `bad_configuration` for an address that is none; `catalog_not_permitted` when it refuses us;
 * `catalog_unavailable` when it does not answer
 */
export async function connectMongo(url: string): Promise<MongoConnection> {
  const client = openClient(url)
  try {
    await client.connect()
  } catch (error) {
    await client.close()
    throw toAppError(error)
  }
  const named = /^mongodb(?:\+srv)?:\/\/[^/]+\/([^?]+)/.exec(url)?.[1]
  return { client, db: client.db(named === undefined ? defaultDatabase : decodeURIComponent(named)) }
}

function openClient(url: string): MongoClient {
  try {
    return new MongoClient(url, {
      connectionType: EndingConnection,
      serverSelectionTimeoutMS: selectionTimeoutMs,
      socketTimeoutMS: answerTimeoutMs,
      // A server that stands still is noticed by its heartbeat; calls under way end with it.
      connectTimeoutMS: selectionTimeoutMs,
      heartbeatFrequencyMS: selectionTimeoutMs,
      // A copy that lags behind would hide changes for longer than the sync looks back, and tell an old lock.
      readPreference: 'primary',
      // Bytes that are no UTF-8 become U+FFFD: one text that others have spoilt must not hide all that is read with it.
      enableUtf8Validation: false,
      // What is undefined is not there; the driver would store it as null.
      ignoreUndefined: true,
      appName: 'skill-catalog',
    })
  } catch (error) {
    // The message may hold the address, and that the password.
    throw operatorError(
      'bad_configuration',
      'MONGODB_URL is no address of a MongoDB. It looks like mongodb://user:password@host:27017/catalog',
      error,
    )
  }
}

/** Runs an operation; what the driver throws comes out as an AppError. */
export async function translated<T>(operation: () => Promise<T>): Promise<T> {
  try {
    return await operation()
  } catch (error) {
    throw toAppError(error)
  }
}

/** The meaning of a driver's error for the reader; anything else is passed on as it is. */
export function toAppError(error: unknown): unknown {
  if (error instanceof AppError || !(error instanceof MongoError)) {
    return error
  }
  if (error instanceof MongoParseError) {
    return operatorError('bad_configuration', 'MONGODB_URL is no address of a MongoDB.', error)
  }
  if (error instanceof MongoServerError && notPermitted.has(Number(error.code))) {
    return operatorError(
      'catalog_not_permitted',
      'MongoDB refuses us: check user and password in MONGODB_URL. The user needs readWrite on the database it names.',
      error,
    )
  }
  return unavailable(
    'catalog_unavailable',
    'The catalog does not answer just now. Try again in a few seconds.',
    5,
    error,
  )
}

/** Whether this is MongoDB's complaint about a value that a unique index has already. */
export const isDuplicateKey = (error: unknown): boolean =>
  error instanceof MongoServerError && error.code === duplicateKey

/** The database's own clock: times that are compared with each other must come from one clock. */
export async function serverTime(db: Db): Promise<Date> {
  try {
    return (await db.command({ hello: 1 }))['localTime']
  } catch (error) {
    // 59, CommandNotFound: servers older than `hello`, and those that only speak the protocol.
    if (error instanceof MongoServerError && error.code === 59) {
      return (await db.command({ isMaster: 1 }))['localTime']
    }
    throw error
  }
}
