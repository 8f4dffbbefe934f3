import { AppError, operatorMessage } from '../../../../shared/runtime/errors.js'
import { fetchFailure } from '../../../../shared/runtime/http-answers.js'
import { printableLine, shorten } from '../../../../shared/text/clean-text.js'
import { formatNumber } from '../../../../shared/text/format-numbers.js'
import { factsOf, runnersLine } from '../../status/describe.js'
import { type JobRow, type JobsReport, readStatus } from '../../status/read-status.js'
import type { CommandLine, CommonOptions, ExitStatus, Outcome } from '../command-line.js'
import { defineCommand } from '../define-command.js'
import {
  type Check,
  checkConfiguration,
  checkFact,
  checkNode,
  correctFirst,
  finding,
  fine,
  type PlaceChecks,
  unchecked,
} from '../doctor/check.js'
import { checkFolder, checkServers } from '../doctor/check-servers.js'
import { indented, type Screen, screenOf } from '../output/screen.js'

/** `doctor`: checks the catalog and its surroundings. */
export const doctor = defineCommand<CommonOptions>({
  usage: 'doctor',
  summary: 'check configuration, data folder or servers, and jobs, and say what to do',
  details: [
    'Checked are: the settings; the version of Node.js; the data folder (rights, free disk, format, the service that has ' +
      'claimed it) or the servers (MongoDB, Meilisearch, Redis: versions, settings, clocks); the sync of the search index, ' +
      'failed and paused jobs, dead letters. Nothing is changed.',
    'Exit status: 0 all is fine; 1 there are findings; 2 something could not be checked.',
  ],
  examples: ['doctor', 'doctor --json'],
  async run(cli) {
    const checks = await checkAll(cli)
    return outcomeOf(checks, screenOf(cli.stdout))
  },
})

async function checkAll(cli: CommandLine): Promise<Check[]> {
  const program = [checkNode(), ...checkConfiguration(cli.env)]
  if (program.some(({ name, state }) => name === 'configuration' && state !== 'fine')) {
    return [...program, unchecked('catalog', 'its place is known by a valid configuration only', correctFirst)]
  }
  const { config, log } = cli
  const { checks, catalog } =
    config.mode === 'embedded' ? await checkFolder(config.dataDir) : await checkServers(config, log)
  return [...program, ...checks, ...(await checkCatalog(catalog, cli))]
}

async function checkCatalog(catalog: PlaceChecks['catalog'], cli: CommandLine): Promise<Check[]> {
  switch (catalog) {
    case 'readable':
      return checkWork(cli)
    case 'unreadable':
      return [unchecked('jobs', 'the catalog stores how they went, and cannot be read', correctFirst)]
    case 'absent':
      return []
  }
}

/** How long a running service may take to report its readiness. */
const readinessTimeoutMs = 6_000

const maxReasonCharacters = 200

/** Checks the work of the jobs: who runs them, their last runs, the search index, dead letters. */
async function checkWork(cli: CommandLine): Promise<Check[]> {
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

function outcomeOf(checks: Check[], screen: Screen): Outcome {
  const count = (state: Check['state']) => checks.filter((check) => check.state === state).length
  const [findings, notChecked] = [count('finding'), count('unchecked')]
  const summary = [
    findings === 0 ? 'No findings' : `${formatNumber(findings)} ${findings === 1 ? 'finding' : 'findings'}`,
    ...(notChecked === 0 ? [] : [`${formatNumber(notChecked)} not checked`]),
  ].join(', ')
  return {
    status: statusOf(findings, notChecked),
    result: { findings, unchecked: notChecked, checks },
    text: `${checks.map((check) => checkText(check, screen)).join('\n')}\n\n${screen.style('bold', `${summary}.`)}\n`,
  }
}

const statusOf = (findings: number, notChecked: number): ExitStatus => {
  if (notChecked > 0) {
    return 2
  }
  return findings > 0 ? 1 : 0
}

const marks = { fine: ['ok', 'green'], finding: ['!!', 'red'], unchecked: ['??', 'yellow'] } as const

function checkText({ name, state, detail, remedy }: Check, screen: Screen): string {
  const [mark, color] = marks[state]
  const text = indented(printableLine(`${name}: ${detail}`), 4, screen).slice(4)
  const lines = [`${screen.style(color, mark)}  ${text}`]
  return [...lines, ...(remedy === null ? [] : [indented(`→ ${printableLine(remedy)}`, 4, screen)])].join('\n')
}
