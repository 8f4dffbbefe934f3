// Loaded by `node --import`, see `dyingAt`: the stores that a built program opens end it at a crash point.
import { register } from 'node:module'
import { crashPoints, watchCalls } from './crash-points.mjs'

const { DIE_AT: point, DIE_BY: signal } = process.env

/** Stores whose calls end this process at the point. */
export const dying = (stores) =>
  watchCalls(stores, (event, args) => {
    if (crashPoints[point](event, args)) {
      process.kill(process.pid, signal)
    }
  })

/** The switch between the two modes, which every program opens its stores by. */
const opening = `
  import { dying } from ${JSON.stringify(import.meta.url)}
  import { openStores as open } from './open.js?its-own'
  export * from './open.js?its-own'
  export const openStores = async (...given) => dying(await open(...given))`

const hooks = `
  export const load = (url, context, next) =>
    url.endsWith('/dist/shared/adapters/open.js')
      ? { format: 'module', source: ${JSON.stringify(opening)}, shortCircuit: true }
      : next(url, context)`

register(`data:text/javascript,${encodeURIComponent(hooks)}`)
