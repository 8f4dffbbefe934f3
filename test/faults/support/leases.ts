import { MongoClient } from 'mongodb'

/**
 * Expires the leases of a killed process in this catalog's database, without waiting half a minute. In the embedded mode
 * the system has released the locks.
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
