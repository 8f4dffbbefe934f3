import { type Command, Option } from 'commander'
import { type RecordType, recordTypes } from '../../../../shared/records/records.js'
import { moderationStates, renameSkill, setState } from '../../moderation.js'
import { withWriteLock } from '../../runner/write-lock.js'
import { bringUpToDate, searchIndexLines } from '../bring-up-to-date.js'
import type { CommandLine, CommonOptions, Outcome } from '../command-line.js'
import { type DefinedCommand, defineCommand } from '../define-command.js'
import { openProgress } from '../output/progress-display.js'

interface ModerateOptions extends CommonOptions {
  /** False with --no-update. */
  update: boolean
}

interface StateOptions extends ModerateOptions {
  type: RecordType
}

type Action = keyof typeof moderationStates

const texts: Record<Action, { summary: string; details: string; done: string; already: string }> = {
  hide: {
    summary: 'hide records: lists, searches, files and reads leave them out',
    details:
      'A hidden record stays hidden when its source is imported again, or its crawler updates its document, until it is ' +
      'shown with unhide, or by a source that says `state: published`.',
    done: 'is hidden',
    already: 'is hidden already',
  },
  unhide: {
    summary: 'publish hidden or removed records again',
    details: 'They are published as they are stored: hiding and removing change nothing but their state.',
    done: 'is published',
    already: 'is published already',
  },
  remove: {
    summary: 'remove records: requests for a skill are answered with 410',
    details:
      'A removed record becomes a tombstone, which followers of the changes see. It is published again when a source has ' +
      'it: to keep it away, hide it.',
    done: 'is removed',
    already: 'is removed already',
  },
}

const noUpdate = (command: Command): Command =>
  command.option('--no-update', 'leave search index, export files and statistics to the running service')

const stateCommand = (action: Action): DefinedCommand =>
  defineCommand<StateOptions>({
    usage: `${action} <id...>`,
    summary: texts[action].summary,
    details: [
      'An id is owner/repo, of a prompt its id, of an organization its login; in any case. When one is unknown, nothing is ' +
        'changed.',
      texts[action].details,
      'Then the search index, the export files and the statistics are updated. Files of earlier snapshots stay as they are.',
    ],
    examples: [`${action} acme/label-printer`, `${action} greeting-card --type prompts --json`],
    options: (command) =>
      noUpdate(
        command.addOption(
          new Option('--type <type>', 'the type of the records').choices(recordTypes).default('skills'),
        ),
      ),
    run: (cli, { type, ...options }, ids) =>
      moderate(cli, options, async (catalog) => {
        const changed = await setState(catalog, type, ids, moderationStates[action])
        const wanted = [...new Set(ids.map((id) => id.toLowerCase()))]
        const isChanged = new Set(changed)
        return {
          result: { type, state: moderationStates[action], changed, unchanged: wanted.length - changed.length },
          lines: wanted.map((id) => `${id} ${isChanged.has(id) ? texts[action].done : texts[action].already}.`),
        }
      }),
  })

export const hide = stateCommand('hide')
export const unhide = stateCommand('unhide')
export const remove = stateCommand('remove')

/** `rename`: gives a skill another owner or repository name. */
export const rename = defineCommand<ModerateOptions>({
  usage: 'rename <id> <new-id>',
  summary: 'give a skill another owner or repository name',
  details: [
    'Requests for the former id are redirected to the new one, which keeps the record and the history of its stars. The ' +
      'record of the former id stays, hidden, so that a source that still has it does not publish it again.',
    'The new id is written as given: owner and repository keep their capitals.',
  ],
  examples: ['rename acme/label-printer Acme/label-maker'],
  options: noUpdate,
  run: (cli, options, [id = '', name = '']) =>
    moderate(cli, options, async (catalog) => {
      const renamed = await renameSkill(catalog, id, name, { now: cli.clock(), signal: cli.signal })
      return { result: { from: id.toLowerCase(), id: renamed }, lines: [`${id.toLowerCase()} is ${name} now.`] }
    }),
})

/** Changes records under the lock of imports, and updates what is made from them. */
function moderate(
  cli: CommandLine,
  options: ModerateOptions,
  change: (catalog: Parameters<typeof setState>[0]) => Promise<{ result: Record<string, unknown>; lines: string[] }>,
): Promise<Outcome> {
  return cli.withStores(async (stores) => {
    const display = openProgress(cli, options)
    try {
      const { result, lines } = await withWriteLock(stores.catalog, () => change(stores.catalog))
      const updates = options.update ? await bringUpToDate(cli, stores, display) : null
      return {
        status: 0,
        result: { ...result, ...updates },
        text: `${[...lines, ...searchIndexLines(updates)].join('\n')}\n`,
      }
    } finally {
      display.stop()
    }
  })
}
