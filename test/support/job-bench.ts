import { syncIndex } from '../../services/indexer/jobs/sync-index.js'
import type { Job, JobResult } from '../../services/indexer/runner/job.js'
import type { runJob } from '../../services/indexer/runner/run-job.js'
import { openEmbedded } from '../../shared/adapters/embedded/open-embedded.js'
import type { OpenOptions, Stores } from '../../shared/adapters/stores.js'
import type { Embedder } from '../../shared/ports/embedder.js'
import type { JobFinding } from '../../shared/ports/job-scheduler.js'
import type { Lock } from '../../shared/ports/locks.js'
import type { IndexReplica, IndexTarget } from '../../shared/ports/search-index.js'
import { afterTest } from './after-test.js'
import { aSkill } from './factories.js'
import { openFolder, runOnce } from './run-once.js'
import { storingRecords } from './stored-records.js'
import { temporaryFolder } from './temporary-folder.js'
import { silentLog } from './test-log.js'
import { withOverrides } from './with-overrides.js'

/** A catalog for running jobs. */
export interface JobBench extends Stores {
  /** The only server of the index. */
  index: IndexReplica
  dataDir: string
  /** The findings that jobs reported, in order. */
  findings: JobFinding[]
  /**
   * Runs a job once.
   *
   * @param overrides other ports, another clock, a signal; `index` is the only server, unless there are `replicas`
   */
  run(job: Job, overrides?: Overrides): Promise<JobResult>
}

type Overrides = Partial<Parameters<typeof runJob>[1]> & Partial<Pick<JobBench, 'index'>>

/**
 * Opens a catalog with the embedded adapters, empty unless a folder is given; closed when the test ends.
 *
 * @param ownEmbedder in place of the built-in one
 */
export async function openJobBench(
  options: Partial<OpenOptions> = {},
  dataDir = temporaryFolder(),
  ownEmbedder?: Embedder,
): Promise<JobBench> {
  const stores =
    ownEmbedder === undefined
      ? await openFolder(dataDir, options)
      : await openEmbedded(dataDir, { threads: false, log: silentLog(), ...options, embedder: ownEmbedder })
  afterTest(() => stores.close())
  const findings: JobFinding[] = []
  const [index] = stores.replicas
  const run: JobBench['run'] = (job, overrides = {}) =>
    runOnce(job, stores, {
      replicas: [overrides.index ?? index],
      watcher: { report: (finding) => findings.push(finding) },
      ...overrides,
    })
  return { ...stores, index, dataDir, findings, run }
}

/** With `acme/first` in catalog and index: an empty index would be built. */
export async function openFilledBench(): Promise<JobBench> {
  const bench = await openJobBench()
  await bench.catalog.put('skills', [aSkill({ repo: 'first' })])
  await bench.run(syncIndex)
  return bench
}

/** The same for a catalog of other adapters: its index has the records of what it publishes. */
export async function openIndexBench(): Promise<JobBench> {
  const bench = await openJobBench()
  const index = storingRecords(bench.dataDir, bench.index)
  return { ...bench, index, replicas: [index], run: (job, overrides = {}) => bench.run(job, { index, ...overrides }) }
}

/** The same index, which does not take the skill of this id. */
export const refusing = <Index extends IndexReplica>(index: Index, id: string): Index =>
  withOverrides(index, {
    apply: async (changes: Parameters<Index['apply']>[0], target: IndexTarget, lock: Lock) => {
      const publish = changes.publish.filter((document) => document.id !== id)
      const { rejected } = await index.apply({ ...changes, publish }, target, lock)
      return {
        rejected: publish.length === changes.publish.length ? rejected : [...rejected, { id, reason: 'too odd' }],
      }
    },
  } as Partial<Index>)

type Call = (...args: unknown[]) => unknown

/** The same port, with each method call replaced by the result of `intercept`. */
export function intercepted<Port extends object>(port: Port, intercept: (name: string, call: Call) => Call): Port {
  return new Proxy(port, {
    get: (target, name) => {
      const member = Reflect.get(target, name)
      return typeof member === 'function' ? intercept(String(name), member.bind(target)) : member
    },
  })
}
