import type { Stores } from '../../../../shared/adapters/stores.js'
import { withWriteLock } from '../../../../shared/ports/locks.js'
import type { RecordType, StoredRecords } from '../../../../shared/records/records.js'
import {
  formatCount,
  formatNumber,
  formatResult,
  formatSeconds,
  perSecond,
} from '../../../../shared/text/format-numbers.js'
import { BatchWriter, type RecordSink, type WriteCounts } from '../../import/batch-writer.js'
import { generateOrganizations, generatePrompts } from '../../seed/generate-records.js'
import { generateSkills } from '../../seed/generate-skills.js'
import { bringUpToDate, noUpdate, searchIndexLines, type UpdateOptions } from '../bring-up-to-date.js'
import type { CommandLine, Outcome } from '../command-line.js'
import { defineCommand, wholeNumber } from '../define-command.js'
import { type ProgressDisplay, withProgress } from '../output/progress-display.js'

interface SeedOptions extends UpdateOptions {
  skills: number
  prompts?: number
  organizations?: number
  randomSeed: number
}

/**
 * `seed`: generates a catalog of any size. A command, and no part of the tests: operators try machines, settings and alerts
 * with it before they have records of their own.
 */
export const seed = defineCommand<SeedOptions>({
  usage: 'seed',
  summary: 'add generated skills, prompts and organizations',
  details: [
    'The same numbers and random seed give the same records. Words, stars, owners and topics are distributed as in real ' +
      'catalogs; some texts are in other languages, and half of the skills lie in repositories of 2 to 300. Records of the ' +
      'same ids are replaced, all others stay.',
  ],
  examples: ['seed --skills 10000', 'seed --skills 250000 --random-seed 7 --json'],
  options: (command) =>
    noUpdate(
      command
        .requiredOption('--skills <count>', 'number of skills', wholeNumber)
        .option('--prompts <count>', 'number of prompts (default: one per 50 skills)', wholeNumber)
        .option('--organizations <count>', 'number of organizations (default: one per 100 skills)', wholeNumber)
        .option('--random-seed <number>', 'seed of the random number generator', wholeNumber, 1),
    ),
  run: (cli, options) =>
    withProgress(cli, options, (display) =>
      cli.withStores({ creates: true, withoutIndex: true }, (stores) => fill(cli, options, stores, display)),
    ),
})

async function fill(
  cli: CommandLine,
  options: SeedOptions,
  stores: Stores,
  display: ProgressDisplay,
): Promise<Outcome> {
  const { skills, randomSeed } = options
  const prompts = options.prompts ?? Math.ceil(skills / 50)
  // Every organization is an owner, and there is one owner per five skills.
  const organizations = Math.min(options.organizations ?? Math.ceil(skills / 100), Math.ceil(skills / 5))
  const startedMs = performance.now()
  const counts = await withWriteLock(stores.catalog, async () => {
    const write = writerTo(stores.catalog, cli.signal, display)
    return {
      skills: await write('skills', skills, generateSkills(skills, randomSeed)),
      prompts: await write('prompts', prompts, generatePrompts(prompts, randomSeed)),
      organizations: await write('organizations', organizations, generateOrganizations(organizations, randomSeed)),
    }
  })
  const elapsedMs = performance.now() - startedMs
  const rate = perSecond(skills + prompts + organizations, elapsedMs)
  const updates = options.update ? await bringUpToDate(cli, stores, display) : null
  const lines = [
    ...Object.entries(counts).map(
      ([type, { added, changed, unchanged }]) => `${type}: ${formatResult({ added, changed, unchanged })}`,
    ),
    `${formatSeconds(elapsedMs)}, ${formatCount(rate, 'records')} a second`,
    ...searchIndexLines(updates),
  ]
  return {
    status: 0,
    result: { randomSeed, ...counts, seedMs: Math.round(elapsedMs), recordsPerSecond: rate, ...updates },
    text: `${lines.join('\n')}\n`,
  }
}

function writerTo(catalog: RecordSink, signal: AbortSignal, display: ProgressDisplay) {
  return async <T extends RecordType>(
    type: T,
    total: number,
    records: Iterable<StoredRecords[T]>,
  ): Promise<WriteCounts> => {
    const writer = new BatchWriter(type, catalog)
    let done = 0
    for (const record of records) {
      signal.throwIfAborted()
      // Generated records are small: their number alone limits a batch.
      await writer.add(record, 0)
      done += 1
      if (done % 1_000 === 0) {
        display.update(done, total, `${formatNumber(done)} of ${formatCount(total, type)}`)
      }
    }
    await writer.flush()
    return writer.counts
  }
}
