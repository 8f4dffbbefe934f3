import type { Stores } from '../../../shared/adapters/stores.js'
import { operatorError } from '../../../shared/runtime/errors.js'
import { writeDataset } from '../jobs/write-dataset.js'
import { writeExports } from '../jobs/write-exports.js'
import type { Job, JobResult } from '../runner/job.js'
import type { CommandLine } from './command-line.js'
import type { ProgressDisplay } from './output/progress-display.js'

/**
 * Whether a job would put files without a signature in the place of signed ones, because this process has no key: clients
 * that check the signature would refuse them.
 */
async function losesSignature(job: Job, { signer }: CommandLine, { exports, datasets }: Stores): Promise<boolean> {
  const store = job === writeExports ? exports : job === writeDataset ? datasets : null
  if (store === null || signer !== null) {
    return false
  }
  const [newest] = await store.snapshots()
  return (newest?.manifest?.signature ?? null) !== null
}

/** @throws AppError `no_signing_key` where the job would put files without a signature in the place of signed ones */
export async function requireKey(job: Job, cli: CommandLine, stores: Stores): Promise<void> {
  if (await losesSignature(job, cli, stores)) {
    throw operatorError(
      'no_signing_key',
      'The present files are signed, and this command has no key. Set SIGNING_KEY_FILE as for the service, or let the ' +
        'service write them.',
    )
  }
}

/**
 * Runs a job in this process, or where only the services have the key, in an indexer.
 *
 * @returns null where it was left to the services
 */
export async function runWithKey(
  job: Job,
  cli: CommandLine,
  stores: Stores,
  display: ProgressDisplay,
  run: (job: Job) => Promise<JobResult | null>,
): Promise<JobResult | null> {
  if (!(await losesSignature(job, cli, stores))) {
    return run(job)
  }
  const isRequested =
    (await cli
      .withIndexers?.((jobs) => jobs.request(job.name))
      .then(
        () => true,
        () => false,
      )) === true
  display.report(
    'The present files are signed, and this command has no key (SIGNING_KEY_FILE): ' +
      (isRequested ? 'an indexer writes the new ones.' : 'the service writes the new ones when they are due.'),
  )
  return null
}
