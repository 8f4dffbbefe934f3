import { type SitemapState, stateKeys } from '../../shared/state-keys.js'
import type { Backends } from './backends.js'

/** Where the parts of the sitemap begin in the change log. Before they have been divided, there is one for all. */
export async function sitemapStarts(catalog: Pick<Backends['catalog'], 'readState'>): Promise<number[]> {
  const state = await catalog.readState<SitemapState>(stateKeys.sitemap)
  return state === null ? [0] : state.starts
}
