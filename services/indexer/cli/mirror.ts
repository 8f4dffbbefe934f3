import { resolve } from 'node:path'
import { type Command, InvalidArgumentError } from 'commander'
import type { Stores } from '../../../shared/adapters/open.js'
import { AppError, operatorError } from '../../../shared/errors.js'
import { catchUp } from '../mirror/catch-up.js'
import { compareMirror } from '../mirror/compare-mirror.js'
import { compareSnapshot } from '../mirror/compare-snapshot.js'
import { copySnapshot } from '../mirror/copy-snapshot.js'
import { type Mirror, noCounts } from '../mirror/mirror.js'
import { readMirrorState, snapshotTypes } from '../mirror/mirror-state.js'
import { SourceCatalog } from '../mirror/source-catalog.js'
import type { CommandLine, CommonOptions, Outcome } from './command-line.js'
import { defineCommand } from './define-command.js'
import { type Comparisons, mirrorOutcome, reportDifferences } from './mirror-outcome.js'
import { openProgress, type ProgressDisplay } from './progress-display.js'

interface MirrorOptions extends CommonOptions {
  follow?: true
  every: number
  verify?: true
}

/** How often --follow looks for a newer snapshot; a source publishes one every hour. */
const snapshotEveryMs = 5 * 60_000

/** `mirror`: a copy of another catalog, made and kept by its public API alone. */
export const mirror = defineCommand<MirrorOptions>({
  usage: 'mirror <url> <folder>',
  summary: 'make a folder a copy of another catalog, or bring the copy up to date',
  details: [
    'Skills are some seconds old at most: the copy is begun with the export of the other catalog, checked by its hash, ' +
      'or, where that is truncated, with its changes from the start, and then follows the changes. Prompts and ' +
      'organizations have no changes feed: they are those of the newest snapshot of its exports, which is written every ' +
      'hour and holds at most 10,000 of each; when there are more, nothing of them is removed from the copy.',
    'The other catalog is not trusted: records that an import would reject are rejected, answers and files have a largest ' +
      'size, and redirects to other servers are refused. Its limits are kept. Run again, the command continues.',
    'The folder is a data folder: DATA_DIR=<folder> npm start serves the copy, also while it is brought up to date.',
    'Exit status: 0 done; 1 done, with rejected records or differences; 2 not done.',
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
    .option('--follow', 'follow the changes until Ctrl-C, and look for a newer snapshot every 5 minutes')
    .option('--every <seconds>', 'how often --follow asks for changes', secondsFromOne, 5)
    .option('--verify', 'compare every record with the other catalog in the end; the status is 1 when some differ')
}

async function runMirror(cli: CommandLine, options: MirrorOptions, operands: string[]): Promise<Outcome> {
  const [url = '', folder = ''] = operands
  const display = openProgress(cli, options)
  try {
    const source = new SourceCatalog(url, { signal: cli.signal, tell: display.tell })
    return await cli.withFolder(folder, (stores) => inFolder(cli, options, source, folder, stores, display))
  } finally {
    display.stop()
  }
}

/** @throws AppError `mirror_running` when another process works on the folder */
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
    const copy: Mirror = { source, catalog, folder, state, counts: noCounts(), display }
    if (options.follow) {
      await follow(copy, cli.signal, options.every * 1_000)
    } else {
      await catchUp(copy)
      await copySnapshot(copy)
    }
    const verified = options.verify && !cli.signal.aborted ? await compareAll(copy) : null
    reportDifferences(verified, display)
    return await mirrorOutcome(copy, verified, performance.now() - startedMs)
  } finally {
    await lock.release()
  }
}

/** Until the command is asked to stop, which is a success once the copy was complete. */
async function follow(copy: Mirror, signal: AbortSignal, everyMs: number): Promise<void> {
  const { source, display, folder } = copy
  let complete = false
  let nextSnapshotMs = 0
  try {
    for (;;) {
      const caughtUp = await catchUpIfAvailable(copy)
      if (caughtUp && !complete) {
        complete = true
        display.tell(`${resolve(folder)} holds the skills of ${source.url}, and follows it. Ctrl-C ends it.`)
      }
      if (caughtUp && performance.now() >= nextSnapshotMs) {
        await copySnapshotIfPossible(copy, signal)
        nextSnapshotMs = performance.now() + snapshotEveryMs
      }
      await source.pause(everyMs)
    }
  } catch (error) {
    if (!signal.aborted || !complete) {
      throw error
    }
  }
}

/** @returns false when the source is unavailable: it is asked again in the next round */
async function catchUpIfAvailable(copy: Mirror): Promise<boolean> {
  try {
    await catchUp(copy)
    return true
  } catch (error) {
    if (error instanceof AppError && error.code === 'source_unavailable') {
      copy.display.tell(error.message)
      return false
    }
    throw error
  }
}

/** A snapshot that cannot be copied does not keep the skills from being followed. */
async function copySnapshotIfPossible(copy: Mirror, signal: AbortSignal): Promise<void> {
  try {
    await copySnapshot(copy)
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof AppError)) {
      throw error
    }
    copy.display.tell(`Prompts and organizations were not brought up to date: ${error.message}`)
  }
}

async function compareAll(copy: Mirror): Promise<Comparisons> {
  const comparisons: Comparisons = { skills: await compareMirror(copy) }
  const files = await copySnapshot(copy)
  for (const type of snapshotTypes) {
    const file = files[type]
    if (file !== undefined) {
      comparisons[type] = await compareSnapshot(copy, type, file)
    }
  }
  return comparisons
}

function secondsFromOne(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) {
    throw new InvalidArgumentError('It must be a whole number of seconds, 1 or more.')
  }
  return Number(text)
}
