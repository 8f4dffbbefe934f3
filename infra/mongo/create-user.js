// Creates the users of the catalog's services, or brings their rights up to date: at the first start of a new volume, and
// by hand for a database of an earlier version (see docs/operating-servers.md).
const { MONGO_PASSWORD, MONGO_READER_PASSWORD } = process.env
if (!MONGO_PASSWORD || !MONGO_READER_PASSWORD) {
  print('A password is missing: set MONGO_PASSWORD and MONGO_READER_PASSWORD.')
  quit(1)
}
const catalog = db.getSiblingDB('catalog')

// All that a query service reads: no document of a crawler or an import, and nothing else that may not be public.
const readable = [
  'catalog_skills',
  'catalog_prompts',
  'catalog_organizations',
  'change_log',
  'state',
  'star_histories',
  'texts',
  'skill_texts',
  'exports.manifests',
  'exports.files',
  'exports.chunks',
  'dataset.manifests',
  'dataset.files',
  'dataset.chunks',
]
const role = {
  privileges: readable.map((collection) => ({
    resource: { db: 'catalog', collection },
    actions: ['find', 'collStats'],
  })),
  roles: [],
}
if (catalog.getRole('catalogReader') === null) {
  catalog.createRole({ role: 'catalogReader', ...role })
} else {
  catalog.updateRole('catalogReader', role)
}

const users = [
  // The indexer and the command line.
  ['catalog', MONGO_PASSWORD, [{ role: 'readWrite', db: 'catalog' }]],
  // The query services.
  ['catalog_reader', MONGO_READER_PASSWORD, [{ role: 'catalogReader', db: 'catalog' }]],
]
for (const [user, pwd, roles] of users) {
  if (catalog.getUser(user) === null) {
    catalog.createUser({ user, pwd, roles })
  } else {
    catalog.updateUser(user, { pwd, roles })
  }
}
