import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Command, InvalidArgumentError } from 'commander'
import type { Stores } from '../../../../shared/adapters/stores.js'
import { AppError, operatorError } from '../../../../shared/runtime/errors.js'
import { catchUp } from '../../mirror/catch-up.js'
import { compareMirror } from '../../mirror/compare-mirror.js'
import { compareSnapshot } from '../../mirror/compare-snapshot.js'
import { copySnapshot } from '../../mirror/copy-snapshot.js'
import { type Mirror, noCounts } from '../../mirror/mirror.js'
import { readMirrorState, snapshotTypes } from '../../mirror/mirror-state.js'
import { SourceCatalog } from '../../mirror/source-catalog.js'
import { readPublicKey, type VerifyingKey } from '../../signing/minisign.js'
import type { CommandLine, CommonOptions, Outcome } from '../command-line.js'
import { defineCommand } from '../define-command.js'
import { type Comparisons, mirrorOutcome, reportDifferences } from '../output/mirror-outcome.js'
import { openProgress, type ProgressDisplay } from '../output/progress-display.js'
import { secondsFromOne } from '../seconds-from-one.js'

interface MirrorOptions extends CommonOptions {
  follow?: true
  every: number
  verify?: true
  publicKey?: VerifyingKey
}

/** Milliseconds between two checks for a newer snapshot by --follow; a source publishes one every hour. */
const snapshotEveryMs = 5 * 60_000

/** `mirror`: copies another catalog through its public API, and keeps the copy up to date. */
export const mirror = defineCommand<MirrorOptions>({
  usage: 'mirror <url> <folder>',
  summary: 'make a folder a copy of another catalog, or bring the copy up to date',
  details: [
    'The copy of the skills starts from the export of the other catalog, checked by its hash, or from the start of its ' +
      'change feed when the export is truncated; then it follows the change feed with a delay of some seconds. Prompts and ' +
      'organizations have no change feed: they come from the newest export snapshot, which is written every hour and ' +
      'contains up to 10,000 of each. When the source has more, none of them are removed from the copy.',
    'The other catalog is not trusted: records that an import would reject are rejected, the sizes of responses and files ' +
      'are limited, and redirects to other servers are refused. Its rate limits are respected. Run the command again to ' +
      'continue.',
    'The folder is a data folder: DATA_DIR=<folder> npm start serves the copy, also while the command updates it.',
    'With --public-key the files of a snapshot are copied only if a manifest lists them that is signed with this key. The ' +
      'change feed is not signed: what comes from there is as trustworthy as the connection.',
    'Exit status: 0 done; 1 done, with rejected records or differences; 2 not done.',
  ],
  examples: [
    'mirror https://catalog.example ./copy',
    'mirror https://catalog.example ./copy --follow',
    'mirror https://catalog.example ./copy --public-key catalog.pub',
    'mirror https://catalog.example ./copy --verify --json',
  ],
  options: addOptions,
  run: runMirror,
})

function addOptions(command: Command): Command {
  return command
    .option('--follow', 'follow the change feed until Ctrl-C, and check for a newer snapshot every 5 minutes')
    .option('--every <seconds>', 'interval of the requests of --follow', secondsFromOne, 5)
    .option(
      '--public-key <key>',
      'copy only snapshots that are signed with this key of minisign: the key itself, or its file',
      publicKeyOf,
    )
    .option('--verify', 'compare all records with the other catalog at the end; exit status 1 when some differ')
}

async function runMirror(cli: CommandLine, options: MirrorOptions, operands: string[]): Promise<Outcome> {
  const [url = '', folder = ''] = operands
  const display = openProgress(cli, options)
  try {
    const source = new SourceCatalog(url, { signal: cli.signal, report: display.report })
    return await cli.withFolder(folder, (stores) => mirrorInto(cli, options, source, folder, stores, display))
  } finally {
    display.stop()
  }
}

/** @throws AppError `mirror_running` when another process mirrors into the folder */
async function mirrorInto(
  cli: CommandLine,
  options: MirrorOptions,
  source: SourceCatalog,
  folder: string,
  { catalog }: Stores,
  display: ProgressDisplay,
): Promise<Outcome> {
  const lock = await catalog.lock('mirror')
  if (lock === null) {
    throw operatorError('mirror_running', `Another process is updating ${folder} already. Wait for it to end.`)
  }
  try {
    const startedMs = performance.now()
    const state = await readMirrorState(catalog, source.url, folder)
    const { publicKey = null } = options
    const copy: Mirror = { source, catalog, folder, state, publicKey, counts: noCounts(), display }
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

/** Runs until the command is stopped, which is a success once the copy is complete. */
async function follow(copy: Mirror, signal: AbortSignal, everyMs: number): Promise<void> {
  const { source, display, folder } = copy
  let complete = false
  let nextSnapshotMs = 0
  try {
    for (;;) {
      const caughtUp = await catchUpIfAvailable(copy)
      if (caughtUp && !complete) {
        complete = true
        display.report(
          `${resolve(folder)} contains the skills of ${source.url}, and follows its changes. Ctrl-C stops it.`,
        )
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

/** @returns false when the source is unavailable: the next round tries again */
async function catchUpIfAvailable(copy: Mirror): Promise<boolean> {
  try {
    await catchUp(copy)
    return true
  } catch (error) {
    if (error instanceof AppError && error.code === 'source_unavailable') {
      copy.display.report(error.message)
      return false
    }
    throw error
  }
}

/** An error with a snapshot is reported, and the skills are followed all the same. */
async function copySnapshotIfPossible(copy: Mirror, signal: AbortSignal): Promise<void> {
  try {
    await copySnapshot(copy)
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof AppError)) {
      throw error
    }
    copy.display.report(`Prompts and organizations were not updated: ${error.message}`)
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

function publicKeyOf(text: string): VerifyingKey {
  try {
    return readPublicKey(existsSync(text) ? readFileSync(text, 'utf8') : text)
  } catch (error) {
    throw new InvalidArgumentError(`It must be a public key of minisign, or its file: ${Object(error).message}.`)
  }
}
