/**
 * Measures the catalog against its aims, part by part:
 *
 *   npm run bench
 *   npm run bench -- --only requests --only paging --json results.json
 *
 * Each part compares what is built with a named baseline in the same run, and prints a table of measures and aims.
 */
import { parseArgs } from 'node:util'
import { exportsPart } from './parts/exports.js'
import { growth } from './parts/growth.js'
import { packages } from './parts/packages.js'
import { pages } from './parts/pages.js'
import { paging } from './parts/paging.js'
import { repositories } from './parts/repositories.js'
import { requestWay } from './parts/request-way.js'
import { requests } from './parts/requests.js'
import { saturation } from './parts/saturation.js'
import { serversChurn } from './parts/servers-churn.js'
import { serversIdle } from './parts/servers-idle.js'
import { serversImport } from './parts/servers-import.js'
import { serversReplicas } from './parts/servers-replicas.js'
import { serversRequests } from './parts/servers-requests.js'
import { serversSearch } from './parts/servers-search.js'
import { storage } from './parts/storage.js'
import { texts } from './parts/texts.js'
import { withFolder } from './processes.js'
import { type Measure, type Part, print, printMeasures } from './report.js'
import { describeMachine, installedMeilisearch, writeJson } from './results.js'

const parts: Part[] = [
  storage,
  packages,
  texts,
  paging,
  pages,
  requests,
  repositories,
  requestWay,
  exportsPart,
  serversIdle,
  serversChurn,
  serversImport,
  serversRequests,
  serversSearch,
  serversReplicas,
  saturation,
  growth,
]

const { values } = parseArgs({ options: { only: { type: 'string', multiple: true }, json: { type: 'string' } } })
const unknown = (values.only ?? []).filter((name) => parts.every((part) => part.name !== name))
if (unknown.length > 0) {
  process.stderr.write(`There is no part ${unknown.join(', ')}. Parts: ${parts.map(({ name }) => name).join(', ')}\n`)
  process.exit(2)
}
const machine = describeMachine(installedMeilisearch())
const results: { part: string; seconds: number; measures: Measure[] }[] = []
for (const part of parts.filter(({ name }) => values.only?.includes(name) ?? true)) {
  const startedAt = performance.now()
  const measures = await withFolder((folder) => part.measure(folder))
  printMeasures(part, measures)
  results.push({ part: part.name, seconds: (performance.now() - startedAt) / 1_000, measures })
  // After each part: one that fails ends the run.
  writeJson(values.json, { machine, results })
}
for (const { part, seconds } of results) {
  print(`${part.padEnd(20)}${Math.round(seconds)} s`)
}
