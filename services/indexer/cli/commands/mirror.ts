import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Command, InvalidArgumentError } from 'commander'
import type { Stores } from '../../../../shared/adapters/stores.js'
import { recordTypes } from '../../../../shared/records/records.js'
import { AppError, operatorError } from '../../../../shared/runtime/errors.js'
import { compareMirror, compareSnapshot } from '../../mirror/compare-mirror.js'
import { catchUp, copySnapshot } from '../../mirror/copy.js'
import { type Mirror, noCounts, readMirrorState, snapshotTypes } from '../../mirror/mirror.js'
import { SourceCatalog } from '../../mirror/source-catalog.js'
import { readPublicKey, type VerifyingKey } from '../../signing/minisign.js'
import type { CommandLine, CommonOptions, Outcome } from '../command-line.js'
import { defineCommand, secondsFromOne } from '../define-command.js'
import { type Comparisons, mirrorOutcome, reportDifferences } from '../output/import-outcome.js'
import { type ProgressDisplay, withProgress } from '../output/progress-display.js'

interface MirrorOptions extends CommonOptions {
  follow?: true
  every: number
  verify?: true
  publicKey?: VerifyingKey
  unsignedChanges?: true
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
    'With --public-key only files are copied that a manifest lists which is signed with this key, skills included: the ' +
      'copy is that of the newest snapshot, with up to 10,000 of each type. The change feed is not signed. With ' +
      '--unsigned-changes skills follow it all the same, and are as trustworthy as the connection.',
    'Exit status: 0 done; 1 done, with rejected records or differences; 2 not done.',
  ],
  examples: [
    'mirror https://catalog.example ./copy',
    'mirror https://catalog.example ./copy --follow',
    'mirror https://catalog.example ./copy --public-key catalog.pub',
    'mirror https://catalog.example ./copy --public-key catalog.pub --unsigned-changes --follow',
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
    .option('--unsigned-changes', 'with --public-key: let skills follow the change feed, which is not signed')
    .option('--verify', 'compare all records with the other catalog at the end; exit status 1 when some differ')
}

function runMirror(cli: CommandLine, options: MirrorOptions, operands: string[]): Promise<Outcome> {
  const [url = '', folder = ''] = operands
  if (options.unsignedChanges && options.publicKey === undefined) {
    throw operatorError('bad_arguments', '--unsigned-changes requires --public-key: give both or none.')
  }
  return withProgress(cli, options, (display) => {
    const source = new SourceCatalog(url, { signal: cli.signal, report: display.report })
    return cli.withFolder(folder, (stores) => mirrorInto(cli, options, source, folder, stores, display))
  })
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
    const { publicKey = null, unsignedChanges = false } = options
    const followsChanges = publicKey === null || unsignedChanges
    const copy: Mirror = { source, catalog, folder, state, publicKey, followsChanges, counts: noCounts(), display }
    if (options.follow) {
      await follow(copy, cli.signal, options.every * 1_000)
    } else {
      await update(copy)
    }
    const verified = options.verify && !cli.signal.aborted ? await compareAll(copy) : null
    reportDifferences(verified, display)
    return await mirrorOutcome(copy, verified, performance.now() - startedMs)
  } finally {
    await lock.release()
  }
}

async function update(copy: Mirror): Promise<void> {
  if (copy.followsChanges) {
    await catchUp(copy)
  }
  await copySnapshot(copy)
}

/** Runs until the command is stopped, which is a success once the copy is complete. */
async function follow(copy: Mirror, signal: AbortSignal, everyMs: number): Promise<void> {
  const { source, display, folder, followsChanges } = copy
  let complete = false
  let nextSnapshotMs = 0
  try {
    for (;;) {
      const current = followsChanges
        ? await ifAvailable(copy, catchUp, complete)
        : complete || (await ifAvailable(copy, copySnapshot, complete))
      if (current && !complete) {
        complete = true
        nextSnapshotMs = followsChanges ? 0 : performance.now() + snapshotEveryMs
        display.report(
          `${resolve(folder)} contains the skills of ${source.url}, and follows its ${followsChanges ? 'changes' : 'signed snapshots'}. ` +
            'Ctrl-C stops it.',
        )
      }
      if (current && performance.now() >= nextSnapshotMs) {
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

/** Errors of answers that a proxy may give in the place of the source, for instance while that is being replaced. */
const foreignAnswers = ['source_not_understood', 'source_refused', 'source_redirects', 'answer_too_large']

/**
 * @param complete whether the address has been that of a catalog: then another answer is temporary
 * @returns false when the source is unavailable: the next round tries again
 */
async function ifAvailable(
  copy: Mirror,
  update: (copy: Mirror) => Promise<unknown>,
  complete: boolean,
): Promise<boolean> {
  try {
    await update(copy)
    return true
  } catch (error) {
    const isTemporary =
      error instanceof AppError &&
      (error.code === 'source_unavailable' || (complete && foreignAnswers.includes(error.code)))
    if (!isTemporary) {
      throw error
    }
    copy.display.report(error.message)
    return false
  }
}

/** An error with a snapshot is reported, and what is copied already stays. */
async function copySnapshotIfPossible(copy: Mirror, signal: AbortSignal): Promise<void> {
  try {
    await copySnapshot(copy)
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof AppError)) {
      throw error
    }
    copy.display.report(
      `${copy.followsChanges ? 'Prompts and organizations were' : 'The copy was'} not updated: ${error.message}`,
    )
  }
}

async function compareAll(copy: Mirror): Promise<Comparisons> {
  const comparisons: Comparisons = copy.followsChanges ? { skills: await compareMirror(copy) } : {}
  const files = await copySnapshot(copy)
  for (const type of copy.followsChanges ? snapshotTypes : recordTypes) {
    const file = files[type]
    if (file !== undefined) {
      comparisons[type] = await compareSnapshot(copy, type, file)
    }
  }
  return comparisons
}

function publicKeyOf(text: string): VerifyingKey {
  const isFile = existsSync(text)
  try {
    return readPublicKey(isFile ? readFileSync(text, 'utf8') : text)
  } catch (error) {
    const reason = isFile ? Object(error).message : 'there is no file of this name, and it is no key'
    throw new InvalidArgumentError(`It must be a public key of minisign, or its file: ${reason}.`)
  }
}
