import { type Command, Option } from 'commander'
import type { CommandLine, CommonOptions, Outcome } from '../command-line.js'
import { defineCommand, wholeNumber } from '../define-command.js'
import { screenOf } from '../output/screen.js'
import { SearchAnswer, searchText } from '../output/skill-text.js'
import { askApi } from '../public-api.js'

/** The options that are parameters of the request, under its names. */
interface SearchParameters {
  limit: number
  page?: number
  owner?: string
  topic?: string[]
  license?: string
  language?: string
  archived?: string
  minStars?: number
  updatedSince?: string
  distinct?: string
  sort?: string
  order?: string
  mode?: string
}

interface SearchOptions extends CommonOptions, SearchParameters {
  url?: string
}

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
  const filter = (flags: string, description: string) => new Option(flags, description).helpGroup(filters)
  return withUrl(command)
    .option('--limit <count>', 'number of skills, 1 to 100', wholeNumber, 10)
    .option('--page <number>', 'number of the page, from 1', wholeNumber)
    .addOption(
      new Option('--sort <order>', 'default: the best first').choices([
        'relevance',
        'updated',
        'stars',
        'created',
        'name',
      ]),
    )
    .addOption(new Option('--order <direction>', 'of --sort').choices(['asc', 'desc']))
    .addOption(new Option('--mode <mode>', 'default: by words and meaning').choices(['keyword', 'hybrid', 'semantic']))
    .addOption(filter('--owner <name>', 'skills of this owner'))
    .addOption(
      filter('--topic <topic>', 'skills with this topic; repeat it to require several').argParser<string[]>(
        (topic, before = []) => [...before, topic],
      ),
    )
    .addOption(filter('--license <license>', 'skills under this licence'))
    .addOption(filter('--language <language>', 'skills in this programming language'))
    .addOption(filter('--archived <choice>', 'only archived skills, or none of them').choices(['true', 'false']))
    .addOption(filter('--min-stars <count>', 'skills with at least so many stars').argParser(wholeNumber))
    .addOption(filter('--updated-since <date>', 'skills updated then or later: 2026-01-31'))
    .addOption(filter('--distinct <what>', 'only the best skill of each repository').choices(['repository']))
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
function parametersOf(values: Record<string, string | number | string[] | undefined>): URLSearchParams {
  const pairs = Object.entries(values).flatMap(([name, value]) =>
    [value ?? []].flat().map((each): [string, string] => [name, String(each)]),
  )
  return new URLSearchParams(pairs)
}
