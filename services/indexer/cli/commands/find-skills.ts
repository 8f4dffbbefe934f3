import { type Command, Option } from 'commander'
import { namedSkills, type SkillPlace } from '../../../../shared/fields/web-address.js'
import { type Filter, filterRows, sortRows } from '../../../../shared/ports/filter-table.js'
import { skillId } from '../../../../shared/records/skill.js'
import { AppError, operatorError } from '../../../../shared/runtime/errors.js'
import { printable } from '../../../../shared/text/clean-text.js'
import type { CommandLine, CommonOptions, Outcome } from '../command-line.js'
import { defineCommand, wholeNumber } from '../define-command.js'
import { screenOf } from '../output/screen.js'
import { SearchAnswer, SkillAnswer, searchText, skillText } from '../output/skill-text.js'
import { askApi, askForText, optionOf, withUrl } from '../public-api.js'

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

function filterOption({ parameter, kind, maxTimes, description }: Filter): Option {
  const value = { name: 'name', text: parameter, flag: 'choice', number: 'count', time: 'date' }[kind]
  const option = new Option(`${optionOf(parameter)} <${value}>`, description).helpGroup(filters)
  if (kind === 'flag') {
    return option.choices(['true', 'false'])
  }
  const parsed = kind === 'number' ? option.argParser(wholeNumber) : option
  return maxTimes === undefined ? parsed : option.argParser<string[]>((given, before = []) => [...before, given])
}

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

interface GetOptions extends CommonOptions {
  url?: string
  text?: true
}

/** `get`: one skill, from the public API of a catalog. */
export const get = defineCommand<GetOptions>({
  usage: 'get <id>',
  summary: 'show one skill, from here or from another catalog',
  details: [
    'Asks the public API of a running service: that of the data folder, else the configured one on this machine, or the ' +
      'one at --url. A former name finds the skill as well. With --json the answer of the API is passed on. With --text ' +
      'its SKILL.md is printed, without control characters; the API has its bytes.',
  ],
  examples: ['get quillmoor/pdf-table-lifter', 'get quillmoor/pdf-table-lifter --url https://catalog.example --json'],
  options: (command) => withUrl(command).option('--text', 'print its SKILL.md'),
  async run(cli, { url, text: wantsText }, [id = '']) {
    const [first, ...others] = namedSkills(id)
    if (first === undefined) {
      throw operatorError(
        'bad_arguments',
        `${id} is not the id of a skill, which looks like owner/repo or owner/repo@skill.`,
      )
    }
    const ask = ({ owner, repo, skill }: SkillPlace) =>
      askApi(cli, url, `/api/v1/skills/${skillId(owner, repo, skill)}`, SkillAnswer)
    const { sent, known } = await ask(first).catch((error) => {
      const [other] = others
      if (other === undefined || !(error instanceof AppError && error.code === 'skill_unknown')) {
        throw error
      }
      return ask(other)
    })
    if (wantsText) {
      const text = await askForText(cli, url, `/api/v1/skills/${known.data.id}/SKILL.md`)
      return {
        status: 0,
        result: { id: known.data.id, text },
        text: printable(text.replace(/\r\n?/g, '\n').replaceAll('\t', '    ')),
      }
    }
    return { status: 0, result: sent, text: skillText(known, screenOf(cli.stdout), cli.clock()) }
  },
})
