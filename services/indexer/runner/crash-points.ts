import { operatorError } from '../../../shared/runtime/errors.js'

/** Places in the jobs between two effects: a process that ends there must lose nothing. */
export const crashPoints = [
  'batch-read',
  'batch-applied',
  'position-kept',
  'rebuild-begun',
  'page-copied',
  'rebuild-verified',
  'index-swapped',
  'sync-continued',
  'changes-logged',
  'export-file-written',
  'export-files-written',
  'exports-published',
  'stats-computed',
  'differences-found',
  'differences-repaired',
  'log-repaired',
  'letters-retried',
  'sitemap-divided',
  'histories-written',
] as const
export type CrashPoint = (typeof crashPoints)[number]

/**
 * The crash that tests request by `CATALOG_CRASH_POINT`: with the name of a crash point, the process is killed there as
 * by `kill -9`; with `stop:` before the name, it is suspended there as by `kill -STOP`. Outside of tests (`NODE_ENV` is
 * not `test`) the variable is ignored.
 *
 * @throws AppError `unknown_crash_point`
 */
export function crashPointHook(env: NodeJS.ProcessEnv = process.env): ((point: CrashPoint) => void) | undefined {
  const asked = env['NODE_ENV'] === 'test' ? env['CATALOG_CRASH_POINT'] : undefined
  if (asked === undefined) {
    return undefined
  }
  const [signal, name] = asked.startsWith('stop:')
    ? (['SIGSTOP', asked.slice(5)] as const)
    : (['SIGKILL', asked] as const)
  if (!crashPoints.some((point) => point === name)) {
    throw operatorError('unknown_crash_point', `There is no crash point ${name}; there are ${crashPoints.join(', ')}.`)
  }
  return (point) => {
    if (point === name) {
      process.kill(process.pid, signal)
    }
  }
}
