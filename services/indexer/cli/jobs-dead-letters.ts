import { type Command, InvalidArgumentError } from 'commander'
import { shorten } from '../../../shared/text/clean-text.js'
import { retryDeadLetters } from '../jobs/retry-dead-letters.js'
import type { CommandLine, Outcome } from './command-line.js'
import { defineCommand } from './define-command.js'
import { runJobCommand } from './job-command.js'
import { type RunOptions, withLocal } from './run-where-configured.js'
import { textTable } from './text-table.js'

/** How much of an id the table shows: one that others made up must not widen it for all. */
const longestShownId = 80

interface DeadLettersOptions extends RunOptions {
  limit: number
  retry?: true
}

/** `jobs dead-letters`: what could not be indexed, and why. */
export const jobsDeadLetters = defineCommand<DeadLettersOptions>({
  usage: 'dead-letters',
  summary: 'list the skills that could not be indexed, with the reason, or try them again',
  details: [
    'A skill whose document is mended is indexed by itself and leaves the list. --retry is for those that failed ' +
      'because of something else; the status is 1 when some of them fail again.',
  ],
  examples: ['jobs dead-letters', 'jobs dead-letters --limit 1000 --json', 'jobs dead-letters --retry'],
  options: addOptions,
  run: (cli, options) => (options.retry ? runJobCommand(retryDeadLetters, cli, options, null) : list(cli, options)),
})

function addOptions(command: Command): Command {
  command
    .option('--limit <count>', 'how many to list', countFromOne, 100)
    .option('--retry', 'try all of them again, instead of listing them')
  return withLocal(command)
}

function list(cli: CommandLine, { limit }: DeadLettersOptions): Promise<Outcome> {
  return cli.withCatalog(async (catalog) => {
    const found = await catalog.listDeadLetters(null, limit + 1)
    const deadLetters = found.slice(0, limit)
    const more = found.length > limit
    const rows = deadLetters.map(({ id, since, reason }) => [shorten(id, longestShownId), since, reason])
    const text =
      rows.length === 0 ? 'There are no dead letters.\n' : `${textTable([['skill', 'since', 'reason'], ...rows])}\n`
    return {
      status: 0,
      result: { deadLetters, more },
      text: more ? `${text}… and more: --limit lists them.\n` : text,
    }
  })
}

function countFromOne(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) {
    throw new InvalidArgumentError('It must be a whole number from 1 to 999999.')
  }
  return Number(text)
}
