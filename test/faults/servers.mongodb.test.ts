import { cannotShow } from './support/cannot-show.js'

const needsReplicaSet = 'needs a replica set, which the stand-in for MongoDB cannot be'

cannotShow('26. Primary step-down mid-cursor: resumes', needsReplicaSet)
cannotShow('27. Resume token expired: rebuild', `${needsReplicaSet}; the catalog resumes no stream: it polls as well`)
