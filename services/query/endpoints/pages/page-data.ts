import type { Endpoint, EndpointDeps } from '../../request/endpoint.js'
import { WholeNumber } from '../../request/parameters.js'
import { askInProcess, Routes } from '../../request/routes.js'
import type { Ask } from '../../web/api/answers.js'
import { exportSnapshots } from '../exports/export-snapshots.js'
import { listSkills } from '../list-skills.js'
import { searchSkills } from '../search-skills.js'
import { relatedSkills, skillHistory } from '../skill-parts.js'
import { stats, statsHistory } from '../stats.js'

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
  const ask = askInProcess(deps)
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

/** Pages with 20 skills each, within the rows that pages by number reach. */
const maxPage = 500

/** The number of a page of a list. */
export const PageOfPages = WholeNumber(1, maxPage)

/** The description of the parameter `page`. */
export const pageOfPages = `number of the page, 1 to ${maxPage}`
