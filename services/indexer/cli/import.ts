import { readdirSync } from 'node:fs'
import { type Command, Option } from 'commander'
import type { Stores } from '../../../shared/adapters/open.js'
import { operatorError } from '../../../shared/errors.js'
import { type RecordType, recordTypes } from '../../../shared/records/records.js'
import type { RecordSink } from '../import/batch-writer.js'
import { type FoundSources, findSources } from '../import/find-sources.js'
import { importRecords } from '../import/import-records.js'
import { freeRemovalShare, freeRemovals } from '../import/plan-replacement.js'
import { PreviewSink } from '../import/preview-sink.js'
import { mostRecordBytes, type SourceFormat, sourceFormats } from '../import/source.js'
import { bringUpToDate, type Renewed } from './bring-up-to-date.js'
import type { CommandLine, CommonOptions, Outcome } from './command-line.js'
import { defineCommand } from './define-command.js'
import { importOutcome, type TimedImport } from './import-outcome.js'
import { openProgress, type ProgressDisplay } from './progress-display.js'
import { watchImport } from './watch-import.js'
import { wholeNumber } from './whole-number.js'
import { withWriteLock } from './write-lock.js'

interface ImportCommandOptions extends CommonOptions {
  type: RecordType
  format?: SourceFormat
  dryRun?: true
  replace?: true
  allowRemoving?: number
  verbose?: true
  /** False with --no-update. */
  update: boolean
}

/** `import`: takes records of others into the catalog. */
export const importCommand = defineCommand<ImportCommandOptions>({
  usage: 'import <source...>',
  summary: 'take records into the catalog: new ones are added, known ones replaced',
  details: [
    'A source is a file, a folder, or - for standard input: one JSON object a line (.ndjson, .jsonl), a JSON array of ' +
      'any size (.json), CSV with a header row (.csv), or a folder with <owner>/<name>/SKILL.md below it; gzip of any ' +
      'of them. Common field names are understood: full_name, stargazers_count, html_url, tags, prompt and many more.',
    `A rejected record is listed with its file, line and reason, and the import goes on; none may be longer than ` +
      `${mostRecordBytes} bytes. Importing the same again changes nothing. At the end search index, ` +
      'export files and figures are brought up to date. A record that an operator has hidden stays hidden, unless its ' +
      'source says `state: published`.',
    'With --replace, records of this type that the sources do not hold become tombstones. Nothing is removed when a ' +
      'source could not be read to its end, or a rejected record does not say which one it is. What would remove more ' +
      `than ${freeRemovals} records, or ${freeRemovalShare * 100} % of the catalog where that is more, stops before it ` +
      'writes and says how many; --allow-removing sets another number. Standard input is kept in a temporary file meanwhile.',
    'Exit status: 0 done; 1 done, but a record was rejected, a source was not read to its end, or nothing was removed ' +
      'although --replace asks for it; 2 not done: nothing was read, or nothing written.',
  ],
  examples: [
    'import skills.ndjson more-skills.csv.gz --type skills',
    'import ./checked-out-skills --type skills --dry-run',
    'import prompts.csv --type prompts --replace',
    'import prompts.csv --type prompts --replace --allow-removing 5000',
    'import - --type skills --format ndjson < skills.ndjson',
  ],
  options: addOptions,
  run: runImport,
})

function addOptions(command: Command): Command {
  return command
    .addOption(new Option('--type <type>', 'what the records are').choices(recordTypes).makeOptionMandatory())
    .addOption(
      new Option('--format <format>', 'their format, where name and content do not show it').choices(sourceFormats),
    )
    .option('--dry-run', 'write nothing, and report what would be done')
    .option('--replace', 'turn records of this type that the sources do not hold into tombstones')
    .option('--allow-removing <count>', 'how many records --replace may remove', wholeNumber)
    .option('--no-update', 'leave search index, files and figures to the running service')
    .option('--verbose', 'list every rejected record, not only the first 20, and every value that is left out')
}

async function runImport(cli: CommandLine, options: ImportCommandOptions, paths: string[]): Promise<Outcome> {
  if (options.allowRemoving !== undefined && !options.replace) {
    throw operatorError('bad_arguments', '--allow-removing is for --replace: give both or none.')
  }
  const found = await findSources(paths, options.format ?? null, cli.signal)
  checkSources(found, options, paths)
  const display = openProgress(cli, options)
  try {
    const done = options.dryRun
      ? { ...(await preview(cli, found, options, display)), renewed: null }
      : await write(cli, found, options, display)
    return importOutcome(done, options)
  } finally {
    display.stop()
  }
}

/** @throws AppError `bad_arguments` */
function checkSources({ sources, unreadable }: FoundSources, options: ImportCommandOptions, paths: string[]): void {
  if (options.type !== 'skills' && sources.some(({ format }) => format === 'skill-md')) {
    throw operatorError('bad_arguments', `A SKILL.md holds a skill, not ${options.type}. Use --type skills.`)
  }
  if (sources.length === 0 && unreadable.length === 0) {
    throw operatorError(
      'bad_arguments',
      `There is nothing to read in ${paths.join(', ')}: no SKILL.md, and no file whose name ends in .ndjson, .jsonl, .json ` +
        'or .csv, with or without .gz. Name the files themselves, with --format if need be.',
    )
  }
}

async function write(
  cli: CommandLine,
  found: FoundSources,
  options: ImportCommandOptions,
  display: ProgressDisplay,
): Promise<TimedImport & { renewed: Renewed | null }> {
  return cli.withStores(async (stores) => {
    const done = await withWriteLock(stores.catalog, () =>
      take(cli, found, options, display, stores.catalog, stores.catalog),
    )
    const wanted = options.update && done.result.counts.read > 0
    return { ...done, renewed: wanted ? await bringUpToDate(cli, stores, display) : null }
  })
}

/** A catalog that does not exist yet is not made for a preview. */
async function preview(
  cli: CommandLine,
  found: FoundSources,
  options: ImportCommandOptions,
  display: ProgressDisplay,
): Promise<TimedImport> {
  return cli.dataDir !== null && isEmptyFolder(cli.dataDir)
    ? take(cli, found, options, display, new PreviewSink(null), null)
    : cli.withStores(({ catalog }) => take(cli, found, options, display, new PreviewSink(catalog), catalog))
}

async function take(
  cli: CommandLine,
  found: FoundSources,
  options: ImportCommandOptions,
  display: ProgressDisplay,
  sink: RecordSink,
  catalog: Stores['catalog'] | null,
): Promise<TimedImport> {
  const startedMs = performance.now()
  const { watcher, end } = watchImport(found.sources, display, options)
  const result = await importRecords(found, {
    type: options.type,
    sink,
    ...(options.replace ? { replace: { catalog, maxRemovals: options.allowRemoving ?? null } } : {}),
    stdin: cli.stdin,
    watcher,
    signal: cli.signal,
  })
  end()
  return { result, elapsedMs: performance.now() - startedMs }
}

function isEmptyFolder(path: string): boolean {
  try {
    return readdirSync(path).length === 0
  } catch {
    return true
  }
}
