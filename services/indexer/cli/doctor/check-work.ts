import { AppError, operatorMessage } from '../../../../shared/runtime/errors.js'
import { fetchFailure } from '../../../../shared/runtime/http-answers.js'
import { shorten } from '../../../../shared/text/clean-text.js'
import { factsOf, runnersLine } from '../../status/describe.js'
import { type JobRow, type JobsReport, readStatus } from '../../status/read-status.js'
import type { CommandLine } from '../command-line.js'
import { type Check, checkFact, correctFirst, finding, fine, unchecked } from './check.js'

/** How long a running service may take to report its readiness. */
const readinessTimeoutMs = 6_000

const maxReasonCharacters = 200

/** Checks the work of the jobs: who runs them, their last runs, the search index, dead letters. */
export async function checkWork(cli: CommandLine): Promise<Check[]> {
  try {
    const status = await cli.withReader((stores) => readStatus(cli, stores))
    const bad = [
      ...status.faults.map((fault) => unchecked('jobs', fault, correctFirst)),
      ...status.jobs.flatMap(checkJob),
    ]
    return [
      await checkRunners(status),
      ...(bad.length === 0 ? [fine('jobs', 'no last run has failed, and no schedule is paused')] : bad),
      ...factsOf(status, cli.clock())
        .filter(({ label }) => /^search index|^dead letters/.test(label))
        .map(checkFact),
    ]
  } catch (error) {
    if (error instanceof AppError) {
      return [unchecked('jobs', operatorMessage(error), correctFirst)]
    }
    throw error
  }
}

/** Checks who runs the jobs, and that a service of a folder is ready. */
async function checkRunners(report: JobsReport): Promise<Check> {
  const { service, indexers } = report
  if (service === undefined && indexers === undefined) {
    return unchecked('indexer', runnersLine(report), correctFirst)
  }
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
