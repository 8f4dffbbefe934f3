import { type SitemapState, stateKeys } from '../../../shared/state-keys.js'
import type { Backends } from '../observability/backends.js'

/** The sequences of the change log at which the sitemap's parts begin. Until they are computed, there is one part. */
export async function sitemapStarts(catalog: Pick<Backends['catalog'], 'readState'>): Promise<number[]> {
  const state = await catalog.readState<SitemapState>(stateKeys.sitemap)
  return state === null ? [0] : state.starts
}
