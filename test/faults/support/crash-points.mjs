// @ts-check
// JavaScript, since a built program loads it as well: see `die-at.mjs`.

/** @typedef {Omit<import('../../../shared/adapters/stores.js').Stores, 'close'>} Ports */
/** @typedef {keyof typeof crashPoints} CrashPoint */
/** @typedef {(event: string, args: any[]) => void} Report */

/**
 * @param {string} event
 * @param {(...args: any[]) => boolean} [is]
 * @returns {(event: string, args: any[]) => boolean}
 */
const at =
  (event, is = () => true) =>
  (reported, args) =>
    reported === event && is(...args)

/** @param {string} name @returns {(...args: any[]) => boolean} */
const named = (name) => (first) => first === name

/** @param {boolean} isBegun @returns {(...args: any[]) => boolean} whether a rebuild stores that it scans */
const scanning = (isBegun) => (key, state) =>
  key === 'rebuild' && state?.step === 'scan' && (state.scannedTo !== null) === isBegun

/** Moments in the jobs between two effects, by the calls of the ports there: a process that ends there must lose nothing. */
export const crashPoints = {
  'batch-read': at('before replica.apply', (_changes, target) => target === 'live'),
  'batch-applied': at('before catalog.writeState', named('position:sync-index')),
  'position-kept': at('after catalog.writeState', named('position:sync-index')),
  'rebuild-begun': at('after catalog.writeState', scanning(false)),
  'page-copied': at('after catalog.writeState', scanning(true)),
  'rebuild-verified': at('before catalog.lock', named('sync-index')),
  'index-swapped': at('after replica.swap'),
  'sync-continued': at('after catalog.writeState', named('position:sync-index')),
  'changes-logged': at('after ingest.ingest'),
  'export-file-written': at('after exports.write'),
  'export-files-written': at('after exports.writeAll'),
  'exports-published': at('after exports.publish'),
  'dataset-written': at('before datasets.snapshots'),
  'dataset-published': at('after datasets.publish'),
  'stats-computed': at('after catalog.computeStats'),
  'differences-found': at('after changes.logged'),
  'differences-repaired': at('before catalog.listDeadLetters'),
  'log-repaired': at('after comparison.step'),
  'letters-retried': at('before catalog.listDeadLetters', (afterId) => afterId !== null),
  'sitemap-divided': at('before catalog.writeState', named('sitemap')),
  'histories-written': at('after catalog.writeHistories'),
}

/**
 * The same ports, which report each call before and after it.
 *
 * @template {Ports} T
 * @param {T} stores
 * @param {Report} report the call fails with what it throws
 * @returns {T}
 */
export function watchCalls(stores, report) {
  /** @type {(name: string, port: any) => any} */
  const watched = (name, port) =>
    new Proxy(port, {
      get: (target, member) => {
        const value = Reflect.get(target, member)
        return typeof value === 'function' ? around(`${name}.${String(member)}`, value.bind(target)) : value
      },
    })
  /** @type {(call: string, method: (...args: any[]) => any) => (...args: any[]) => any} */
  const around =
    (call, method) =>
    (...args) => {
      try {
        report(`before ${call}`, args)
      } catch (error) {
        // As a port does, which never throws at once: a timer may be the caller.
        return Promise.reject(error)
      }
      if (call === 'ingest.compare') {
        return watched('comparison', method(...args))
      }
      const result = call === 'exports.publish' ? method(args[0], inTurn(args[1]), ...args.slice(2)) : method(...args)
      const after = (/** @type {any} */ value) => {
        report(`after ${call}`, args)
        return value
      }
      return typeof result?.then === 'function' ? result.then(after) : result
    }
  /** A store asks for the next file after it has written this one. @param {AsyncIterable<any>} drafts */
  async function* inTurn(drafts) {
    for await (const draft of drafts) {
      yield draft
      report('after exports.write', [draft])
    }
    report('after exports.writeAll', [])
  }
  const { catalog, changes, ingest, replicas, exports, datasets } = stores
  return {
    ...stores,
    catalog: watched('catalog', catalog),
    changes: watched('changes', changes),
    ingest: ingest && watched('ingest', ingest),
    replicas: replicas.map((replica) => watched('replica', replica)),
    exports: watched('exports', exports),
    datasets: watched('datasets', datasets),
  }
}

/**
 * The environment of a built program that is killed at a point, or suspended there.
 *
 * @param {CrashPoint} point
 * @param {'SIGKILL' | 'SIGSTOP'} [signal]
 */
export const dyingAt = (point, signal = 'SIGKILL') => ({
  NODE_OPTIONS: `--import=${new URL('die-at.mjs', import.meta.url).href}`,
  DIE_AT: point,
  DIE_BY: signal,
})
