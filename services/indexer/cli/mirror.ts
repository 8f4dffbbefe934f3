import { resolve } from 'node:path'
import { type Command, InvalidArgumentError } from 'commander'
import type { Stores } from '../../../shared/adapters/open.js'
import { operatorError } from '../../../shared/errors.js'
import { catchUp } from '../mirror/catch-up.js'
import { compareMirror, type MirrorComparison, type MirrorDifference } from '../mirror/compare-mirror.js'
import type { Mirror } from '../mirror/mirror.js'
import { readMirrorState } from '../mirror/mirror-state.js'
import { SourceCatalog } from '../mirror/source-catalog.js'
import type { CommandLine, CommonOptions, Outcome } from './command-line.js'
import { defineCommand } from './define-command.js'
import { figure, seconds } from './figures.js'
import { openProgress, type ProgressDisplay } from './progress-display.js'

interface MirrorOptions extends CommonOptions {
  follow?: true
  every: number
  verify?: true
}

/** How often a source that does not answer is asked before the command gives up; one that follows never does. */
const attempts = 6

/** How many differences are told one by one. */
const mostDifferences = 50

/** `mirror`: a copy of another catalog, made and kept by its public API alone. */
export const mirror = defineCommand<MirrorOptions>({
  usage: 'mirror <url> <folder>',
  summary: 'make a folder a copy of the skills of another catalog, or bring the copy up to date',
  details: [
    'It is begun with the export of the other catalog, checked by its hash, or where that is cut with its changes from ' +
      'the start, and then follows the changes. Run again, it goes on where it was. Limits of the other catalog are kept.',
    'The folder is a data folder: DATA_DIR=<folder> npm start serves the copy, also while it is being brought up to date.',
  ],
  examples: [
    'mirror https://catalog.example ./copy',
    'mirror https://catalog.example ./copy --follow',
    'mirror https://catalog.example ./copy --verify --json',
  ],
  options: addOptions,
  run: runMirror,
})

function addOptions(command: Command): Command {
  return command
    .option('--follow', 'go on following the changes until Ctrl-C')
    .option('--every <seconds>', 'how often --follow asks for changes', secondsFromOne, 5)
    .option('--verify', 'compare every skill with the other catalog in the end; the status is 1 when some differ')
}

async function runMirror(cli: CommandLine, options: MirrorOptions, operands: string[]): Promise<Outcome> {
  const [url = '', folder = ''] = operands
  const display = openProgress(cli, options)
  try {
    const source = new SourceCatalog(url, {
      signal: cli.signal,
      attempts: options.follow ? Number.POSITIVE_INFINITY : attempts,
      tell: display.tell,
    })
    return await cli.withFolder(folder, (stores) => inFolder(cli, options, source, folder, stores, display))
  } finally {
    display.stop()
  }
}

/** @throws AppError `mirror_running` when another process is at it */
async function inFolder(
  cli: CommandLine,
  options: MirrorOptions,
  source: SourceCatalog,
  folder: string,
  { catalog }: Stores,
  display: ProgressDisplay,
): Promise<Outcome> {
  const lock = await catalog.lock('mirror')
  if (lock === null) {
    throw operatorError('mirror_running', `Another process is bringing ${folder} up to date already.`)
  }
  try {
    const startedMs = performance.now()
    const state = await readMirrorState(catalog, source.url, folder)
    const counts = { published: 0, removed: 0, restarts: 0, from: null }
    const copy: Mirror = { source, catalog, folder, state, counts, display }
    await catchUp(copy)
    if (options.follow) {
      await follow(copy, cli.signal, options.every)
    }
    const verified = options.verify && !cli.signal.aborted ? await compareMirror(copy) : null
    tellDifferences(verified?.differences ?? [], display)
    return outcome(copy, verified, performance.now() - startedMs)
  } finally {
    await lock.release()
  }
}

/** Until the command is asked to stop, which is how this ends well. */
async function follow(copy: Mirror, signal: AbortSignal, everySeconds: number): Promise<void> {
  copy.display.tell(`${resolve(copy.folder)} holds what ${copy.source.url} holds, and follows it. Ctrl-C ends it.`)
  try {
    for (;;) {
      await copy.source.pause(everySeconds * 1_000)
      await catchUp(copy)
    }
  } catch (error) {
    if (!signal.aborted) {
      throw error
    }
  }
}

async function outcome(copy: Mirror, verified: MirrorComparison | null, elapsedMs: number): Promise<Outcome> {
  const { source, catalog, folder, counts, state } = copy
  const { total: skills } = await catalog.listSkills({ filters: {}, sort: 'name', order: 'asc', limit: 1 })
  const compared = verified === null ? null : { compared: verified.compared, ...countKinds(verified.differences) }
  const words = [
    `${figure(skills)} skills as at ${source.url}`,
    ...(counts.from === null ? [] : [`begun with its ${counts.from}`]),
    `${figure(counts.published)} published, ${figure(counts.removed)} removed`,
    ...(compared === null
      ? []
      : [
          `${figure(compared.compared)} compared: ${figure(compared.missing)} missing, ${figure(compared.extra)} extra, ` +
            `${figure(compared.different)} different`,
        ]),
  ]
  return {
    status: verified !== null && verified.differences.length > 0 ? 1 : 0,
    result: { url: source.url, folder: resolve(folder), since: state.since, skills, ...counts, verified: compared },
    text: `mirror: ${words.join('; ')} (${seconds(elapsedMs)})\n`,
  }
}

const countKinds = (differences: MirrorDifference[]): Record<MirrorDifference['kind'], number> => ({
  missing: differences.filter(({ kind }) => kind === 'missing').length,
  extra: differences.filter(({ kind }) => kind === 'extra').length,
  different: differences.filter(({ kind }) => kind === 'different').length,
})

const inWords: Record<MirrorDifference['kind'], string> = {
  missing: 'at the source, but not in the copy',
  extra: 'in the copy, but not at the source',
  different: 'in the copy with other content',
}

function tellDifferences(differences: MirrorDifference[], display: ProgressDisplay): void {
  for (const { id, kind } of differences.slice(0, mostDifferences)) {
    display.tell(`${id}: ${inWords[kind]}`)
  }
  if (differences.length > mostDifferences) {
    display.tell(`… and ${figure(differences.length - mostDifferences)} more`)
  }
}

function secondsFromOne(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) {
    throw new InvalidArgumentError('It must be a whole number of seconds, 1 or more.')
  }
  return Number(text)
}
