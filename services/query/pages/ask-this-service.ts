import { invalidParameters } from '../../../shared/runtime/errors.js'
import { exportSnapshots } from '../endpoints/export-snapshots.js'
import { listSkills } from '../endpoints/list-skills.js'
import { relatedSkills } from '../endpoints/related-skills.js'
import { searchSkills } from '../endpoints/search-skills.js'
import { stats } from '../endpoints/stats.js'
import type { Endpoint, EndpointDeps, EndpointResult } from '../http/endpoint.js'
import { withFields } from '../http/fields.js'
import { parseQuery } from '../http/parse-query.js'
import { Routes } from '../http/routes.js'
import type { Ask } from '../web/api/answers.js'

/** The endpoints that pages read. */
const routes = new Routes([listSkills, searchSkills, relatedSkills, stats, exportSnapshots] as Endpoint[])

/**
 * Reads addresses of the API for a page that is rendered here: with the parsing and the handlers that answer the same
 * requests of browsers, so that there is one way to the data.
 *
 * @throws AppError as the endpoint does
 */
export const askThisService =
  (deps: EndpointDeps): Ask =>
  async <Answer>(address: string): Promise<Answer> => {
    const { pathname, search } = new URL(address, 'http://localhost')
    const found = routes.find(pathname)
    if (found === undefined) {
      throw new Error(`pages read no endpoint at ${pathname}`)
    }
    const { endpoint, segments } = found
    const parsed = parseQuery(search.slice(1), endpoint.query)
    if (parsed.errors !== undefined) {
      throw invalidParameters(parsed.errors)
    }
    const request = { method: 'GET', path: pathname, params: endpoint.params.parse(segments), ...parsed } as const
    const result = await endpoint.handle({ ...request, header: () => '', accepts: () => false }, deps)
    return (await bodyOf(result)) as Answer
  }

async function bodyOf(result: EndpointResult<unknown>): Promise<unknown> {
  if ('body' in result) {
    return result.fields === undefined ? result.body : withFields(Object(result.body), result.fields)
  }
  if ('download' in result) {
    throw new Error('pages read no files')
  }
  const { text } = result
  return JSON.parse(typeof text === 'string' ? text : String(await text.encoded(null)))
}
