import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeSeeded, startLoggingService } from '../embedded-catalog.js'
import { compareLoads, type LoadedSystem, loadText, startLoadProcess } from '../load.js'
import { startBare, startProcess } from '../processes.js'
import type { Measure, Part } from '../report.js'

/** Everything between the socket and the store that the service does for a request. */
const steps = ['ids', 'validation', 'limits', 'log', 'metrics', 'headers', 'entity tags', 'compression'] as const
export type Step = (typeof steps)[number]

const path = '/api/v1/stats'

/** What each step of a request costs, and all of them together: of an answer that needs no store. */
export const requestWay: Part = {
  name: 'request-way',
  summary: "what the steps of a request cost, as a share of a bare Koa's throughput",
  async measure(folder) {
    await makeSeeded(1_000, folder)
    const load = startLoadProcess()
    const service = await startLoggingService(folder)
    const file = join(folder, 'answer.json')
    const headers = { 'Accept-Encoding': 'identity' }
    writeFileSync(file, await (await fetch(`${service.url}${path}`, { headers })).text())
    const processes = [await startBare('koa', file), service]
    for (const step of steps) {
      processes.push(await startProcess('test/bench/koa-with-step.ts', [file, step], {}, 'ignore'))
    }
    const systems = processes.map((process): LoadedSystem => ({ process, requests: [{ path, headers }] }))
    const [, together, ...each] = await compareLoads(load, systems)
    const shareOf = (name: string, at: typeof together, aim?: Measure['aim']): Measure => ({
      name,
      value: 1 - (at?.ratio ?? 0),
      unit: 'of bare Koa',
      aim,
      detail: at && loadText(at),
    })
    return [
      ...steps.map((step, place) => shareOf(step, each[place])),
      shareOf('together, without compression', together, { atMost: 0.25 }),
    ]
  },
}
