import { afterEach } from '@jest/globals'
import type { Job, JobResult } from '../../services/indexer/job.js'
import { runJob } from '../../services/indexer/run-job.js'
import { type OpenOptions, openStores, type Stores } from '../../shared/adapters/open.js'
import { overlaid } from '../../shared/overlaid.js'
import type { JobFinding } from '../../shared/ports/job-scheduler.js'
import type { SearchIndex } from '../../shared/ports/search-index.js'
import { temporaryFolder } from './temporary-folder.js'
import { silentLog } from './test-log.js'

/** A catalog of its own on which jobs can be run. */
export interface JobBench extends Stores {
  dataDir: string
  /** What jobs reported, in order. */
  findings: JobFinding[]
  /**
   * Does one run of a job.
   *
   * @param overrides ports that do something else, another clock, a signal
   */
  run(job: Job, overrides?: Partial<Parameters<typeof runJob>[1]>): Promise<JobResult>
}

/** Opens an empty catalog with the embedded adapters, closed when the test ends. */
export async function openJobBench(options: Partial<OpenOptions> = {}): Promise<JobBench> {
  const dataDir = temporaryFolder()
  const stores = await openStores(
    { mode: 'embedded', dataDir, logLevel: 'silent' },
    { threads: false, writes: true, patienceMs: 0, log: silentLog(), ...options },
  )
  opened.push(stores)
  const findings: JobFinding[] = []
  const { catalog, index, exports, changes } = stores
  const run: JobBench['run'] = (job, overrides = {}) =>
    runJob(job, {
      catalog,
      index,
      exports,
      changes,
      changesKeptDays: 90,
      log: silentLog(),
      signal: new AbortController().signal,
      clock: () => new Date(),
      watcher: { report: (finding) => findings.push(finding) },
      ...overrides,
    })
  return { ...stores, dataDir, findings, run }
}

/** The same index, which does not take the skill of this id. */
export const refusing = (index: SearchIndex, id: string): SearchIndex =>
  overlaid(index, {
    apply: async (changes, target) => {
      const publish = changes.publish.filter((document) => document.id !== id)
      const { rejected } = await index.apply({ ...changes, publish }, target)
      return {
        rejected: publish.length === changes.publish.length ? rejected : [...rejected, { id, reason: 'too odd' }],
      }
    },
  })

type Call = (...args: unknown[]) => unknown

/** The same port, of which each method's call is made by what `intercept` returns. */
export function intercepted<Port extends object>(port: Port, intercept: (name: string, call: Call) => Call): Port {
  return new Proxy(port, {
    get: (target, name) => {
      const member = Reflect.get(target, name)
      return typeof member === 'function' ? intercept(String(name), member.bind(target)) : member
    },
  })
}

const opened: Stores[] = []

afterEach(async () => {
  for (const stores of opened.splice(0)) {
    await stores.close()
  }
})
