// Removes what earlier versions kept in the documents of others, once a newer indexer has read all of them:
// mongosh "$MONGODB_URL" infra/mongo/drop-old-metadata.js
const { position } = db.change_log.findOne({ _id: 'head' }) ?? {}
if (position?.mustCompare !== false) {
  print('The indexer has not compared all documents yet. Run this again when "catalog sync" finds nothing more.')
  quit(1)
}
const present = db.getCollectionNames()
for (const name of ['skills', 'prompts', 'organizations'].filter((each) => present.includes(each))) {
  const documents = db.getCollection(name)
  for (const index of documents.getIndexes()) {
    if (index.name.startsWith('catalog_') && index.name !== 'catalog_written') {
      documents.dropIndex(index.name)
    }
  }
  const { modifiedCount } = documents.updateMany({ _catalog: { $exists: true } }, { $unset: { _catalog: '' } })
  print(`${name}: ${modifiedCount} documents`)
}
if (present.includes('changes')) {
  db.changes.drop()
}
