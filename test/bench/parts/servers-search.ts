import { meiliSearchIndex } from '../../../shared/adapters/servers/meili/search-index.js'
import { contentHash } from '../../../shared/records/content-hash.js'
import { aLock } from '../../support/a-lock.js'
import { meiliKey } from '../../support/run-servers.js'
import { compareSearches, type MeasuredSystem } from '../compare-searches.js'
import { diskBytes } from '../footprint.js'
import { startProcess } from '../processes.js'
import { mixedQueries, nameBeginnings } from '../queries.js'
import { rawMeilisearch } from '../raw-meilisearch.js'
import { sampleSeeded, seededSkills } from '../record-sets.js'
import { type Measure, type Part, print } from '../report.js'
import { catalogSearch, catalogSuggest, httpSystem } from '../search-system.js'
import { type ServersBench, withServersBench } from '../servers-bench.js'

/** Unless BENCH_SKILLS says otherwise: 2,000,000 take an hour. */
const defaultSize = 20_000

/** The search path on servers, by words, at any size: the index is filled by its adapter, without MongoDB. */
export const serversSearch: Part = {
  name: 'servers-search',
  summary: 'searches by words and completions on servers, to a raw Meilisearch that searches the same index',
  measure: (folder) => {
    const size = Number(process.env['BENCH_SKILLS'] ?? defaultSize)
    return withServersBench(size, folder, (bench) => measureSearch(bench, folder))
  },
}

async function measureSearch(bench: ServersBench, folder: string): Promise<Measure[]> {
  const { size, meiliUrl } = bench
  const env = { ...bench.env, EMBEDDER: 'off' }
  const startedAt = performance.now()
  await fill(size, meiliUrl)
  const filledMs = performance.now() - startedAt
  const query = await startProcess('dist/services/query/main.js', [], env)
  const systems = [
    httpSystem('query service', query.url, catalogSearch()),
    // The whole skill is one attribute: the others serve searches and filters.
    rawMeilisearch(meiliUrl, { attributesToRetrieve: ['skill'] }),
  ]
  const sample = sampleSeeded(bench)
  const searches = await compareSearches('mixed queries, by words', systems, mixedQueries(sample))
  const completing = [httpSystem('suggest', query.url, catalogSuggest)]
  const completions = await compareSearches('beginnings of names', completing, nameBeginnings(sample))
  const measuresOf = (name: string, [service]: MeasuredSystem[]): Measure[] =>
    (['p50Ms', 'p95Ms'] as const).map((percentile) => {
      const ratio = service?.toBaseline?.[percentile]
      const detail = ratio === undefined ? '' : `${ratio.toFixed(2)} × raw Meilisearch`
      return {
        name: `${name}, ${percentile.slice(0, 3)}`,
        value: service?.[percentile] ?? 0,
        unit: 'ms',
        detail,
      }
    })
  return [
    {
      name: `filled with ${size.toLocaleString('en')} skills`,
      value: (size / filledMs) * 1_000,
      unit: 'records a second',
      detail: `${Math.round(diskBytes(folder) / 1e6).toLocaleString('en')} MB on disk`,
    },
    ...measuresOf('search', searches.systems),
    ...measuresOf('suggest', completions.systems),
  ]
}

/** Builds the index as a rebuild does, with several batches on their way at once. */
async function fill(size: number, url: string): Promise<void> {
  const index = meiliSearchIndex({ url, key: meiliKey, embedder: null })
  await index.prepare()
  await index.createNext(aLock())
  const applying = new Set<Promise<unknown>>()
  let publish = []
  let done = 0
  for (const skill of seededSkills(size)) {
    publish.push({ id: skill.id, contentHash: contentHash(skill), skill, vector: null, text: null })
    done += 1
    if (publish.length === index.documentsPerApply || done === size) {
      const apply = index.apply({ publish, remove: [] }, 'next', aLock()).finally(() => applying.delete(apply))
      applying.add(apply)
      publish = []
    }
    if (applying.size >= index.appliesAtOnce) {
      await Promise.race(applying)
    }
    if (done % 100_000 === 0) {
      print(`  ${done.toLocaleString('en')} skills sent`)
    }
  }
  await Promise.all(applying)
  await index.swap(aLock())
}
