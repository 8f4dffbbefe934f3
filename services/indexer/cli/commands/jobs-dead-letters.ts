import { type Command, InvalidArgumentError } from 'commander'
import { shorten } from '../../../../shared/text/clean-text.js'
import { printableLine } from '../../../../shared/text/printable.js'
import { retryDeadLetters } from '../../jobs/retry-dead-letters.js'
import type { CommandLine, Outcome } from '../command-line.js'
import { defineCommand } from '../define-command.js'
import { type RunOptions, runJobCommand, withLocal } from '../job-command.js'
import { formatMoment } from '../output/moments.js'
import { screenOf } from '../output/screen.js'
import { textTable } from '../output/text-table.js'

/** Longer ids are shortened in the table: a single one would widen the column. */
const maxIdCharacters = 80

interface DeadLettersOptions extends RunOptions {
  limit: number
  retry?: true
}

/** `jobs dead-letters`: lists skills that could not be indexed, with the reason. */
export const jobsDeadLetters = defineCommand<DeadLettersOptions>({
  usage: 'dead-letters',
  summary: 'list the skills that could not be indexed, with the reason, or retry them',
  details: [
    'A skill whose document is corrected is indexed by the next sync and leaves the list. --retry is for skills that ' +
      'failed for another reason; the exit status is 1 when some of them fail again.',
  ],
  examples: ['jobs dead-letters', 'jobs dead-letters --limit 1000 --json', 'jobs dead-letters --retry'],
  options: addOptions,
  run: (cli, options) => (options.retry ? runJobCommand(retryDeadLetters, cli, options, []) : list(cli, options)),
})

function addOptions(command: Command): Command {
  command
    .option('--limit <count>', 'maximum number of skills to list', countFromOne, 100)
    .option('--retry', 'retry all of them instead of listing them')
  return withLocal(command)
}

function list(cli: CommandLine, { limit }: DeadLettersOptions): Promise<Outcome> {
  const screen = screenOf(cli.stdout)
  return cli.withCatalog(async (catalog) => {
    const found = await catalog.listDeadLetters(null, limit + 1)
    const deadLetters = found.slice(0, limit)
    const more = found.length > limit
    const rows = deadLetters.map(({ id, since, reason }) => [
      printableLine(shorten(id, maxIdCharacters)),
      formatMoment(since, cli.clock(), screen),
      printableLine(reason),
    ])
    const text =
      rows.length === 0
        ? 'There are no dead letters.\n'
        : `${textTable([['skill', 'since', 'reason'], ...rows], screen, 2)}\n`
    return {
      status: 0,
      result: { deadLetters, more },
      text: more ? `${text}… and more: raise --limit to list them.\n` : text,
    }
  })
}

function countFromOne(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) {
    throw new InvalidArgumentError('It must be a whole number from 1 to 999999.')
  }
  return Number(text)
}
