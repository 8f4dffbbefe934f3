import { compareLoads, startLoadProcess, toMeasure } from '../load.js'
import { startBare, startProcess } from '../processes.js'
import { sampleSeeded } from '../record-sets.js'
import type { Measure, Part } from '../report.js'
import { fillCatalog, type ServersBench, withServersBench } from '../servers-bench.js'

const size = 10_000

/** Different skills that are requested in turn. */
const addresses = 200

export const serversRequests: Part = {
  name: 'servers-requests',
  summary: 'single skills a second over 32 connections on servers, to a bare Koa that reads each with findOne',
  measure: (folder) => withServersBench(size, folder, measureOneSkill),
}

async function measureOneSkill(bench: ServersBench): Promise<Measure[]> {
  const env = { ...bench.env, EMBEDDER: 'off' }
  await fillCatalog(bench, env)
  const ids = sampleSeeded(bench)
    .slice(0, addresses)
    .map(({ id }) => id)
  const load = startLoadProcess()
  const bare = await startBare('koa with findOne', bench.env.MONGODB_URL)
  // Its log is written, as in production.
  const service = await startProcess('dist/services/query/main.js', [], { ...env, LOG_LEVEL: 'info' }, 'ignore')
  const loads = await compareLoads(load, [
    { process: bare, requests: ids.map((id) => ({ path: `/${id}` })) },
    { process: service, requests: ids.map((id) => ({ path: `/api/skills/${id}` })) },
  ])
  return [toMeasure('one skill', 'bare Koa with findOne', loads, { atLeast: 0.8 })]
}
