import { type Command, InvalidArgumentError, Option } from 'commander'
import { inspectFolder } from '../../../../shared/adapters/open.js'
import type { Stores } from '../../../../shared/adapters/stores.js'
import { type RepositoryName, splitFullName } from '../../../../shared/fields/web-address.js'
import { withWriteLock } from '../../../../shared/ports/locks.js'
import { type RecordType, recordTypes } from '../../../../shared/records/records.js'
import { operatorError } from '../../../../shared/runtime/errors.js'
import type { RecordSink } from '../../import/batch-writer.js'
import { type ClonedPaths, withAddresses, withClones } from '../../import/clone-repositories.js'
import { type FoundSources, findSources } from '../../import/find-sources.js'
import { freeRemovalShare, freeRemovals, importRecords } from '../../import/import-records.js'
import { PreviewSink } from '../../import/preview-sink.js'
import { addAll, maxRecordBytes, type SourceFormat, sourceFormats } from '../../import/source.js'
import { bringUpToDate, noUpdate, type UpdateOptions, type UpdateResults } from '../bring-up-to-date.js'
import type { CommandLine, Outcome } from '../command-line.js'
import { defineCommand, wholeNumber } from '../define-command.js'
import { importOutcome, type TimedImport } from '../output/import-outcome.js'
import { type ProgressDisplay, watchImport, withProgress } from '../output/progress-display.js'

interface ImportCommandOptions extends UpdateOptions {
  /** Checked when the command runs, whose message names the types. */
  type: RecordType
  format?: SourceFormat
  repository?: RepositoryName
  skillField?: string
  textField?: string
  dryRun?: true
  replace?: true
  allowRemoving?: number
  verbose?: true
}

/** `import`: adds records to the catalog, or replaces them. */
export const importCommand = defineCommand<ImportCommandOptions>({
  usage: 'import <source...>',
  summary: 'import records: new ones are added, existing ones replaced',
  details: [
    'A source is a file, a folder, or - for standard input: one JSON object a line (.ndjson, .jsonl), a JSON array of ' +
      'any size (.json), CSV with a header row (.csv), a table or a list of links in Markdown (.md), a checked-out ' +
      'repository, its address for git, a text file of such addresses (.txt), or a folder of ' +
      '<owner>/<repo>/…/SKILL.md files; each file also with gzip. Common field names are understood: full_name, stargazers_count, html_url, tags, prompt and more.',
    'A rejected record is listed with its file, line and reason, and the import continues. A record may have up to ' +
      `${maxRecordBytes} bytes. Importing the same records again changes nothing. At the end the search index, ` +
      'the export files and the statistics are updated. A record that an operator has hidden stays hidden, unless its ' +
      'source says `state: published`. A record with only an identity and a state changes that state alone.',
    'With --replace, records of this type that the sources do not contain become tombstones. Nothing is removed when a ' +
      'source could not be read completely, or when a rejected record has no id. An import that would remove more ' +
      `than ${freeRemovals} records, or ${freeRemovalShare * 100} % of the catalog if that is more, stops before it ` +
      'writes, and reports the number; --allow-removing raises the limit. Standard input is copied to a temporary file.',
    'Exit status: 0 done; 1 done, but a record was rejected, a source was not read completely, or nothing was removed ' +
      'despite --replace; 2 not done: nothing was read, or nothing written, or the message says that the records are.',
  ],
  examples: [
    'import skills.ndjson more-skills.csv.gz --type skills',
    'import https://github.com/acme/skills --type skills',
    'import ./checked-out-skills --type skills --dry-run',
    'import prompts.csv --type prompts --replace',
    'import prompts.csv --type prompts --replace --allow-removing 5000',
    'import - --type skills --format ndjson < skills.ndjson',
  ],
  options: addOptions,
  run: runImport,
})

function addOptions(command: Command): Command {
  return noUpdate(
    command
      .addOption(new Option('--type <type>', 'the type of the records, required').choices(recordTypes))
      .addOption(
        new Option('--format <format>', 'their format, if neither name nor content shows it').choices(sourceFormats),
      )
      .option('--repository <owner/repo>', 'the repository whose files the folders have', repositoryName)
      .option('--skill-field <name>', 'the field that distinguishes the skills of one repository; default: SKILL_FIELD')
      .option('--text-field <name>', 'the field with the text of a SKILL.md')
      .option('--dry-run', 'write nothing, and report the changes')
      .option('--replace', 'turn records of this type that the sources do not contain into tombstones')
      .option('--allow-removing <count>', 'maximum number of records that --replace removes', wholeNumber),
  ).option('--verbose', 'list all rejected records, not only the first 20, and all dropped values')
}

/** @throws InvalidArgumentError */
function repositoryName(text: string): RepositoryName {
  const named = splitFullName(text)
  if (named === null) {
    throw new InvalidArgumentError('It looks like owner/repo.')
  }
  return named
}

async function runImport(cli: CommandLine, options: ImportCommandOptions, paths: string[]): Promise<Outcome> {
  if (!options.type) {
    throw operatorError('bad_arguments', `--type is missing: give one of ${recordTypes.join(', ')}.`)
  }
  if (options.allowRemoving !== undefined && !options.replace) {
    throw operatorError('bad_arguments', '--allow-removing requires --replace: give both or none.')
  }
  const { format = null, type } = options
  const findAndImport = async (cloned: ClonedPaths): Promise<Outcome> => {
    const found = await findSources(cloned.paths, format, cli.signal, options.repository ?? null, type)
    addAll(found.unreadable, cloned.unreadable)
    for (const clone of cloned.clones) {
      const repository = options.repository ?? clone.checkout
      const { sources, unreadable, ignored } = withAddresses(
        await findSources([clone.folder], format, cli.signal, repository, type),
        clone,
      )
      addAll(found.sources, sources)
      addAll(found.unreadable, unreadable)
      addAll(found.ignored, ignored)
    }
    return importFound(cli, found, options, paths)
  }
  return withClones(paths, cli.signal, findAndImport, type)
}

function importFound(
  cli: CommandLine,
  found: FoundSources,
  options: ImportCommandOptions,
  paths: string[],
): Promise<Outcome> {
  checkSources(found, options, paths)
  return withProgress(cli, options, async (display) => {
    const done = options.dryRun
      ? { ...(await preview(cli, found, options, display)), updates: null }
      : await write(cli, found, options, display)
    return importOutcome(done, options)
  })
}

/** @throws AppError `bad_arguments` */
function checkSources({ sources, unreadable }: FoundSources, options: ImportCommandOptions, paths: string[]): void {
  if (options.type !== 'skills' && sources.some(({ format, folder }) => format === 'skill-md' && folder !== null)) {
    throw operatorError('bad_arguments', `A SKILL.md file contains a skill, not ${options.type}. Use --type skills.`)
  }
  if (sources.length === 0 && unreadable.length === 0) {
    const ownFiles = options.type === 'prompts' ? 'prompt by its name or its folder' : 'SKILL.md'
    throw operatorError(
      'bad_arguments',
      `There is nothing to read in ${paths.join(', ')}: no ${ownFiles}, and no file whose name ends in .ndjson, .jsonl, .json ` +
        'or .csv, with or without .gz. Name the files, with --format if their names do not show it.',
    )
  }
}

async function write(
  cli: CommandLine,
  found: FoundSources,
  options: ImportCommandOptions,
  display: ProgressDisplay,
): Promise<TimedImport & { updates: UpdateResults | null }> {
  return cli.withStores({ creates: true, withoutIndex: true }, async (stores) => {
    const done = await withWriteLock(stores.catalog, () =>
      importInto(cli, found, options, display, stores.catalog, stores.catalog),
    )
    const update = options.update && done.result.counts.read > 0
    return { ...done, updates: update ? await bringUpToDate(cli, stores, display) : null }
  })
}

/** A preview does not create a catalog. */
async function preview(
  cli: CommandLine,
  found: FoundSources,
  options: ImportCommandOptions,
  display: ProgressDisplay,
): Promise<TimedImport> {
  return cli.config.mode === 'embedded' && (await inspectFolder(cli.config.dataDir)) === null
    ? importInto(cli, found, options, display, new PreviewSink(null), null)
    : cli.withCatalog((catalog) => importInto(cli, found, options, display, new PreviewSink(catalog), catalog))
}

async function importInto(
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
    catalog,
    ...(options.replace ? { replace: { maxRemovals: options.allowRemoving ?? null } } : {}),
    stdin: cli.stdin,
    skillField: options.skillField ?? cli.indexer.skillField,
    urlTemplate: cli.config.urlTemplate,
    textField: options.textField,
    textMode: cli.config.skillText,
    watcher,
    signal: cli.signal,
  })
  end()
  return { result, elapsedMs: performance.now() - startedMs }
}
