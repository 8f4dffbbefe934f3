import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { factsOf, type Piece } from '../../status/describe.js'
import { type CatalogStatus, readStatus } from '../../status/read-status.js'
import type { CommandLine, CommonOptions, Outcome } from '../command-line.js'
import { defineCommand, secondsFromOne } from '../define-command.js'
import { formatMoment, indented, type Screen, screenOf } from '../output/screen.js'
import { jobTable } from './jobs.js'

const labelColumns = 14

/** The state of a catalog, for people. @param place the data folder, or the servers */
function statusText(status: CatalogStatus, place: string, screen: Screen, now: Date): string {
  const shown = (piece: Piece): string => {
    if (typeof piece === 'string') {
      return piece
    }
    if ('at' in piece) {
      return formatMoment(piece.at ?? 'never', now, screen)
    }
    return 'bad' in piece ? screen.style('red', piece.bad) : screen.style('yellow', piece.late)
  }
  const lines = [{ label: 'catalog', text: [place] }, ...factsOf(status, now)].map(
    ({ label, text }) =>
      screen.style('bold', label.length < labelColumns ? label.padEnd(labelColumns) : `${label}: `) +
      indented(text.map(shown).join(''), labelColumns, screen).slice(labelColumns),
  )
  return `${lines.join('\n')}\n\n${jobTable(status.jobs, screen, now)}\n`
}

interface StatusOptions extends CommonOptions {
  watch?: true
  every: number
}

/** Moves to the upper left corner of a terminal, and clears what is below. */
const clearScreen = '\u001b[H\u001b[J'

/** `status`: the state of the catalog on one screen. */
export const status = defineCommand<StatusOptions>({
  usage: 'status',
  summary: 'show what the catalog holds, how far the search index is, and how the jobs went',
  details: [
    'Counts of the records, the change log and the search index; changes that are not indexed yet; the last success and ' +
      'the next run of each job; dead letters with their reasons; the disk. Nothing is changed.',
    'What cannot be read is unknown: the cause is named, and the exit status is 2.',
    'With --watch the view is renewed until Ctrl-C; with --json too, it is a line of JSON each time.',
  ],
  examples: ['status', 'status --watch', 'status --watch --every 10', 'status --json'],
  options: addOptions,
  run: (cli, options) =>
    cli.withReader(async (stores) => {
      let shown = await readStatus(cli, stores)
      while (options.watch && !cli.signal.aborted) {
        show(cli, options, shown)
        await sleep(options.every * 1_000, undefined, { signal: cli.signal }).catch(() => undefined)
        shown = await readStatus(cli, stores)
      }
      const last = outcomeOf(cli, shown)
      return options.watch ? { ...last, text: '' } : last
    }),
})

function addOptions(command: Command): Command {
  return command
    .option('--watch', 'renew the view until Ctrl-C')
    .option('--every <seconds>', 'interval of --watch', secondsFromOne, 2)
}

function show(cli: CommandLine, { json }: StatusOptions, shown: CatalogStatus): void {
  const at = cli.clock().toISOString()
  const { text, result } = outcomeOf(cli, shown)
  const { columns, style } = screenOf(cli.stdout)
  if (json) {
    cli.stdout.write(`${JSON.stringify({ command: 'status', at, ...result })}\n`)
  } else {
    cli.stdout.write(`${columns === null ? '' : clearScreen}${style('dim', at)}\n${text}`)
  }
}

function outcomeOf(cli: CommandLine, shown: CatalogStatus): Outcome {
  const { dataDir } = cli
  const place = dataDir === null ? 'on servers' : resolve(dataDir)
  return {
    status: shown.faults.length === 0 ? 0 : 2,
    result: { ...shown },
    text: statusText(shown, place, screenOf(cli.stdout), cli.clock()),
  }
}
