import { type Command, Option } from 'commander'
import { type Filter, filterRows, sortRows } from '../../../../shared/ports/filter-table.js'
import type { CommandLine, CommonOptions, Outcome } from '../command-line.js'
import { defineCommand, wholeNumber } from '../define-command.js'
import { screenOf } from '../output/screen.js'
import { SearchAnswer, searchText } from '../output/skill-text.js'
import { askApi, optionOf } from '../public-api.js'

/** The options that are parameters of the request, under its names. */
type SearchParameters = Record<string, string | number | string[] | undefined>

type SearchOptions = CommonOptions & { url?: string } & SearchParameters

/** `search`: asks the public API of a catalog. */
export const search = defineCommand<SearchOptions>({
  usage: 'search <words...>',
  summary: 'search for skills, here or in another catalog',
  details: [
    'Asks the public API of a running service: that of the data folder, else the configured one on this machine, or the one ' +
      'at --url. The words are ' +
      'the text of the search: quotes inside it mean a phrase, a minus in front of a word excludes it. With --json the ' +
      'answer of the API is passed on.',
  ],
  examples: [
    'search pdf table',
    'search \'"address label" -zebra\' --license MIT',
    'search invoices --topic ocr --min-stars 100 --sort stars',
    'search pdf --url https://catalog.example --json',
  ],
  options: addOptions,
  run: runSearch,
})

const filters = 'Filters:'

function addOptions(command: Command): Command {
  const common = withUrl(command)
    .option('--limit <count>', 'number of skills, 1 to 100', wholeNumber, 10)
    .option('--page <number>', 'number of the page, from 1', wholeNumber)
    .addOption(
      new Option('--sort <order>', 'default: the best first').choices([
        'relevance',
        ...sortRows().map(({ name }) => name),
      ]),
    )
    .addOption(new Option('--order <direction>', 'of --sort').choices(['asc', 'desc']))
    .addOption(new Option('--mode <mode>', 'default: by words and meaning').choices(['keyword', 'hybrid', 'semantic']))
  return filterRows()
    .reduce((sofar, row) => sofar.addOption(filterOption(row)), common)
    .addOption(
      new Option('--distinct <what>', 'only the best skill of each repository')
        .choices(['repository'])
        .helpGroup(filters),
    )
}

/** The option for a filter. */
function filterOption({ parameter, kind, maxTimes, description }: Filter): Option {
  const value = { name: 'name', text: parameter, flag: 'choice', number: 'count', time: 'date' }[kind]
  const option = new Option(`${optionOf(parameter)} <${value}>`, description).helpGroup(filters)
  if (kind === 'flag') {
    return option.choices(['true', 'false'])
  }
  const parsed = kind === 'number' ? option.argParser(wholeNumber) : option
  return maxTimes === undefined ? parsed : option.argParser<string[]>((given, before = []) => [...before, given])
}

/** Adds the option that names a service. */
export const withUrl = (command: Command): Command =>
  command.option(
    '--url <address>',
    'of a service (default: that of the data folder, else the configured one on this machine)',
  )

async function runSearch(
  cli: CommandLine,
  { json, url, ...parameters }: SearchOptions,
  words: string[],
): Promise<Outcome> {
  const screen = screenOf(cli.stdout)
  const marks = !json && screen.style('bold', '') !== ''
  const query = parametersOf({ q: words.join(' '), ...parameters, ...(marks ? { highlight: 'true' } : {}) })
  const { sent, known } = await askApi(cli, url, `/api/v1/skills/search?${query}`, SearchAnswer)
  return { status: 0, result: sent, text: searchText(known, screen, cli.clock()) }
}

/** The parameters of a request; a list is given several times. */
function parametersOf(values: SearchParameters): URLSearchParams {
  const pairs = Object.entries(values).flatMap(([name, value]) =>
    [value ?? []].flat().map((each): [string, string] => [name, String(each)]),
  )
  return new URLSearchParams(pairs)
}
