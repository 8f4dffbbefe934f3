// Healthy: MongoDB accepts writes. Also initiates the replica set of a new volume, since that needs a running server
// and retries.
db.getSiblingDB('admin').auth(process.env.MONGO_INITDB_ROOT_USERNAME, process.env.MONGO_INITDB_ROOT_PASSWORD)
try {
  rs.status()
} catch (error) {
  if (error.codeName !== 'NotYetInitialized') {
    throw error
  }
  rs.initiate({ _id: 'rs0', members: [{ _id: 0, host: 'mongo:27017' }] })
}
quit(db.hello().isWritablePrimary ? 0 : 1)
