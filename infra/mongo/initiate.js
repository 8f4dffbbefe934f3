// Makes a replica set of the one server, which change streams need; does nothing where it is one already.
db.getSiblingDB('admin').auth(process.env.MONGO_INITDB_ROOT_USERNAME, process.env.MONGO_INITDB_ROOT_PASSWORD)
try {
  rs.status()
} catch (error) {
  if (error.codeName !== 'NotYetInitialized') {
    throw error
  }
  rs.initiate({ _id: 'rs0', members: [{ _id: 0, host: 'mongo:27017' }] })
}
while (!db.hello().isWritablePrimary) {
  sleep(200)
}
