import { type Comparison, compareSearches } from './compare-searches.js'
import { startProcess } from './processes.js'
import { mixedQueries, repeated } from './queries.js'
import { rawMeilisearch } from './raw-meilisearch.js'
import { catalogSearch, httpSystem } from './search-system.js'
import { type ServersBench, sampleSeeded } from './servers-bench.js'
import { printComparison } from './tables.js'

/** The bare handlers of `bare-search.ts`, by their arguments. */
const bareHandlers = { 'as-it-comes': 'bare handler', identity: 'bare handler, identity' }

/**
 * Compares the query service with a raw Meilisearch that searches the same index, and with bare handlers in front of it:
 * with mixed queries, and with one query again and again.
 */
export async function measureSearches(bench: ServersBench, url: string): Promise<Comparison[]> {
  const bares = await Promise.all(
    Object.entries(bareHandlers).map(async ([argument, name]) => ({
      name,
      running: await startProcess('test/bench/bare-search.ts', [argument], bench.env),
    })),
  )
  const systems = [
    httpSystem('query service', url, catalogSearch()),
    httpSystem('query service, words only', url, catalogSearch('keyword')),
    // The whole skill is one attribute: the others serve searches and filters.
    rawMeilisearch(bench.meiliUrl, { attributesToRetrieve: ['skill'] }),
    ...bares.map(({ name, running }) => httpSystem(name, running.url, catalogSearch())),
  ]
  const sample = sampleSeeded(bench)
  // Two words, as people often type.
  const [, query = ''] = mixedQueries(sample)(2)
  const comparisons = []
  for (const [title, queries] of [
    ['mixed queries', mixedQueries(sample)],
    [`the same query, “${query}”`, repeated(query)],
  ] as const) {
    const comparison = await compareSearches(title, systems, queries)
    printComparison(comparison)
    comparisons.push(comparison)
  }
  for (const { running } of bares) {
    await running.stop()
  }
  return comparisons
}
