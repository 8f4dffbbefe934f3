import type { Stores } from '../../../../shared/adapters/stores.js'
import { AppError, operatorMessage } from '../../../../shared/runtime/errors.js'
import { fetchFailure } from '../../../../shared/runtime/http-answers.js'
import { shorten } from '../../../../shared/text/clean-text.js'
import { formatCount, formatNumber } from '../../../../shared/text/format-numbers.js'
import { type Replica, replicasOf } from '../../indexing/replicas.js'
import { boundedText, runnersLine } from '../../status/describe.js'
import { type JobRow, type JobsReport, readJobs } from '../../status/read-jobs.js'
import { readDeadLetters, readLag } from '../../status/read-status.js'
import type { CommandLine } from '../command-line.js'
import { type Check, finding, fine, unchecked } from './check.js'

/** A sync takes seconds; an index that lacks a change for longer is not being synchronized. */
const maxLagSeconds = 60

/** How long a running service may take to report its readiness. */
const readinessTimeoutMs = 6_000

const maxReasonCharacters = 200

const seeAbove = 'Correct the findings above, then run this command again.'

/** Checks the work of the jobs: who runs them, their last runs, the search index, dead letters. */
export async function checkWork(cli: CommandLine): Promise<Check[]> {
  try {
    return await cli.withReader(async (stores) => [
      ...(await checkJobs(cli, stores)),
      ...(await checkSync(cli, stores)),
      await checkDeadLetters(stores),
    ])
  } catch (error) {
    if (error instanceof AppError) {
      return [unchecked('jobs', operatorMessage(error), seeAbove)]
    }
    throw error
  }
}

async function checkJobs(cli: CommandLine, { catalog }: Stores): Promise<Check[]> {
  try {
    const report = await readJobs(cli, catalog)
    const unread = report.faults.map((fault) => unchecked('jobs', fault, seeAbove))
    const bad = [...unread, ...report.jobs.flatMap(checkJob)]
    return [
      await checkRunners(report),
      ...(bad.length === 0 ? [fine('jobs', 'no last run has failed, and no schedule is paused')] : bad),
    ]
  } catch (error) {
    if (error instanceof AppError && error.code === 'jobs_unavailable') {
      return [unchecked('jobs', error.message, 'Start Redis, then run this command again.')]
    }
    throw error
  }
}

/** Checks who runs the jobs, and that a service of a folder is ready. */
async function checkRunners(report: JobsReport): Promise<Check> {
  const { service, indexers } = report
  if (indexers === 0) {
    return finding('indexer', 'none is connected: nothing keeps the search index in step', 'Run npm run start:indexer.')
  }
  const name = indexers === undefined ? 'service' : 'indexer'
  if (!service?.url) {
    return fine(name, runnersLine(report))
  }
  const problem = await readinessProblem(service.url)
  return problem === null
    ? fine(name, `process ${service.pid} has claimed the folder, and is ready at ${service.url}`)
    : finding(
        name,
        `process ${service.pid} has claimed the folder, but ${service.url} ${problem}`,
        'See its log for the cause. If no such service runs, the next npm start takes the folder over.',
      )
}

/** Asks a service for its readiness. Null: it is ready. */
async function readinessProblem(url: string): Promise<string | null> {
  try {
    const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(readinessTimeoutMs) })
    const { dependencies } = Object(await response.json())
    const down = Object.entries(Object(dependencies)).flatMap(([name, state]) => (state === 'down' ? [name] : []))
    return response.ok ? null : `reports that it is not ready: ${down.join(', ')} down`
  } catch (error) {
    return `does not answer (${fetchFailure(error)})`
  }
}

function checkJob({ name, lastRun, paused }: JobRow): Check[] {
  const retry = `Remove the cause, then run npm run catalog -- jobs retry ${name}.`
  return [
    ...(lastRun?.error
      ? [finding(`job ${name}`, `failed ${lastRun.endedAt}: ${shorten(lastRun.error, maxReasonCharacters)}`, retry)]
      : []),
    ...(paused
      ? [finding(`job ${name}`, 'its schedule is paused', `Run npm run catalog -- jobs resume ${name}.`)]
      : []),
  ]
}

/** Checks how far each server of the search index is, and, when it should have all skills, that it has as many. */
async function checkSync(cli: CommandLine, { catalog, changes, index }: Stores): Promise<Check[]> {
  const [published, { count: rejected }] = await Promise.all([changes.countPublished(), readDeadLetters({ catalog })])
  const check = async (replica: Replica): Promise<Check> => {
    const name = replica.address === undefined ? 'search index' : `search index at ${replica.address}`
    const pending = await readLag({ catalog, changes }, replica)
    if (pending.oldestAt !== null) {
      const seconds = Math.round((cli.clock().getTime() - Date.parse(pending.oldestAt)) / 1_000)
      const detail = `${boundedText(pending, 'changes')} to be indexed, the first for ${seconds} s`
      return seconds <= maxLagSeconds
        ? fine(name, detail)
        : finding(name, detail, 'Start the service, or run npm run catalog -- sync.')
    }
    try {
      const { documents } = await replica.status()
      return published - rejected <= documents && documents <= published
        ? fine(name, `has all changes, ${formatCount(documents, 'skills')}`)
        : finding(
            name,
            `has ${formatCount(documents, 'skills')}, and the change log ${formatNumber(published)}`,
            'Run npm run catalog -- verify, which lists the differences and repairs them.',
          )
    } catch (error) {
      if (error instanceof AppError) {
        return unchecked(name, error.message, 'Follow the advice about the search index, then run this command again.')
      }
      throw error
    }
  }
  return Promise.all(replicasOf(index).map(check))
}

async function checkDeadLetters(stores: Stores): Promise<Check> {
  const letters = await readDeadLetters(stores)
  const reasons = letters.first.map(({ id, reason }) => `${id}: ${shorten(reason, maxReasonCharacters)}`)
  return letters.count === 0
    ? fine('dead letters', 'none')
    : finding(
        'dead letters',
        `${boundedText(letters, 'skills')} could not be indexed: ${reasons.join('; ')}`,
        'Correct the records, or run npm run catalog -- jobs dead-letters --retry if the cause was another one.',
      )
}
