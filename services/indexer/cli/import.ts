import { readdirSync } from 'node:fs'
import { type Command, Option } from 'commander'
import type { Stores } from '../../../shared/adapters/open.js'
import { operatorError } from '../../../shared/errors.js'
import { type RecordType, recordTypes } from '../../../shared/records/records.js'
import type { RecordSink } from '../import/batch-writer.js'
import { type FoundSources, findSources } from '../import/find-sources.js'
import { importRecords } from '../import/import-records.js'
import { PreviewSink } from '../import/preview-sink.js'
import { mostRecordBytes, type SourceFormat, sourceFormats } from '../import/source.js'
import { bringUpToDate, type Renewed } from './bring-up-to-date.js'
import type { CommandLine, CommonOptions, Outcome } from './command-line.js'
import { defineCommand } from './define-command.js'
import { importOutcome, type TimedImport } from './import-outcome.js'
import { openProgress, type ProgressDisplay } from './progress-display.js'
import { watchImport } from './watch-import.js'
import { withWriteLock } from './write-lock.js'

interface ImportCommandOptions extends CommonOptions {
  type: RecordType
  format?: SourceFormat
  dryRun?: true
  replace?: true
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
    `A record that cannot be taken in is told with its file, line and reason, and the import goes on; none may be longer ` +
      `than ${mostRecordBytes} bytes. Importing the same again changes nothing. At the end search index, ` +
      'export files and figures are brought up to date. A record that an operator has hidden stays hidden, unless its ' +
      'source says `state: published`.',
  ],
  examples: [
    'import skills.ndjson more-skills.csv.gz --type skills',
    'import ./checked-out-skills --type skills --dry-run',
    'import prompts.csv --type prompts --replace',
    'import - --type skills --format ndjson < skills.ndjson',
  ],
  options: addOptions,
  run: runImport,
})

function addOptions(command: Command): Command {
  return command
    .addOption(new Option('--type <type>', 'what the records are').choices(recordTypes).makeOptionMandatory())
    .addOption(new Option('--format <format>', 'their form, if name or content do not tell').choices(sourceFormats))
    .option('--dry-run', 'write nothing, and tell what would be done')
    .option('--replace', 'turn records of this type that the sources do not hold into tombstones')
    .option('--no-update', 'leave search index, files and figures to the running service')
    .option('--verbose', 'tell every rejected record, not only the first 20')
}

async function runImport(cli: CommandLine, options: ImportCommandOptions, paths: string[]): Promise<Outcome> {
  const found = await findSources(paths, options.format ?? null)
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
  const { watcher, end } = watchImport(found.sources, display, options.verbose === true)
  const result = await importRecords(found, {
    type: options.type,
    sink,
    ...(options.replace ? { replaces: catalog } : {}),
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
