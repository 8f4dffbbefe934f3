import { operatorError } from '../../shared/errors.js'

/** Places in the jobs between two effects, where nothing may be lost if the process ends right there. */
export const crashPoints = [
  'batch-read',
  'batch-applied',
  'watermark-kept',
  'rebuild-begun',
  'page-copied',
  'rebuild-verified',
  'index-swapped',
  'sync-continued',
  'changes-read',
  'changes-logged',
  'export-file-written',
  'export-files-written',
  'exports-published',
  'stats-computed',
  'differences-found',
  'differences-mended',
  'log-mended',
  'letters-retried',
  'sitemap-divided',
] as const
export type CrashPoint = (typeof crashPoints)[number]

/**
 * What tests have happen to this process at a crash point, by `CATALOG_CRASH_POINT`: the name of one, and the process
 * is killed there as by `kill -9`; with `stop:` before it, it stands still there, as by `kill -STOP`. Outside of tests
 * (`NODE_ENV` is not `test`) there is no such thing.
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
