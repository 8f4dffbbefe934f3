import { exportSnapshots } from '../endpoints/export-snapshots.js'
import { listSkills } from '../endpoints/list-skills.js'
import { relatedSkills } from '../endpoints/related-skills.js'
import { searchSkills } from '../endpoints/search-skills.js'
import { skillHistory } from '../endpoints/skill-history.js'
import { stats } from '../endpoints/stats.js'
import { statsHistory } from '../endpoints/stats-history.js'
import { askInProcess } from '../http/ask-endpoint.js'
import type { Endpoint, EndpointDeps } from '../http/endpoint.js'
import { Routes } from '../http/routes.js'
import type { Ask } from '../web/api/answers.js'

/** The endpoints that pages read. */
const routes = new Routes([
  listSkills,
  searchSkills,
  relatedSkills,
  skillHistory,
  stats,
  statsHistory,
  exportSnapshots,
] as Endpoint[])

/**
 * Reads addresses of the API for a page that is rendered here: with the parsing and the handlers that answer the same
 * requests of browsers, so that there is one way to the data.
 *
 * @throws AppError as the endpoint does
 */
export function askThisService(deps: EndpointDeps): Ask {
  // No endpoint that pages read uses the id of its request.
  const ask = askInProcess(deps, '')
  return async <Answer>(address: string): Promise<Answer> => {
    const { pathname, search } = new URL(address, 'http://localhost')
    const found = routes.find(pathname)
    if (found === undefined) {
      throw new Error(`pages read no endpoint at ${pathname}`)
    }
    const { endpoint, segments } = found
    return (await ask(endpoint, { segments, querystring: search.slice(1) })) as Answer
  }
}
