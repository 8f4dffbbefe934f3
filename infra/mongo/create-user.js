// Runs once, on a new volume: creates the user of the catalog's services, with rights on their database only.
db.getSiblingDB('catalog').createUser({
  user: 'catalog',
  pwd: process.env.MONGO_PASSWORD,
  roles: [{ role: 'readWrite', db: 'catalog' }],
})
