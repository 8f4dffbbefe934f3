// Runs once, when the volume is new: the user that the catalog's services are, with rights on their database only.
db.getSiblingDB('catalog').createUser({
  user: 'catalog',
  pwd: process.env.MONGO_PASSWORD,
  roles: [{ role: 'readWrite', db: 'catalog' }],
})
