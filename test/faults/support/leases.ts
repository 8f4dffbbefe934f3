import { MongoClient } from 'mongodb'

/**
 * Ends the locks that a killed process has left behind in this catalog's database, as their time would within half a
 * minute. Embedded, the system has taken them back already.
 */
export async function endLeases(env: Record<string, string>): Promise<void> {
  if (env['MONGODB_URL'] !== undefined) {
    const client = await MongoClient.connect(env['MONGODB_URL'])
    await client
      .db()
      .collection('locks')
      .updateMany({}, { $set: { expiresAt: new Date(0) } })
    await client.close()
  }
}
