// Healthy is a MongoDB that takes writes. One with a new volume is made a replica set of one here, since that can only
// be done to a server that runs, by somebody who asks it again until it does.
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
