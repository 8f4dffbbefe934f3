import { type Command, Option } from 'commander'
import { withWriteLock } from '../../../../shared/ports/locks.js'
import { type RecordType, recordTypes } from '../../../../shared/records/records.js'
import { givenSkillId } from '../../../../shared/records/skill.js'
import { operatorError } from '../../../../shared/runtime/errors.js'
import { formatCount, formatNumber } from '../../../../shared/text/format-numbers.js'
import { type ModeratedCatalog, moderationStates, setState } from '../../moderation.js'
import { renameRepository, renameSkill } from '../../rename-skills.js'
import { bringUpToDate, noUpdate, readDocuments, searchIndexLines, type UpdateOptions } from '../bring-up-to-date.js'
import type { CommandLine, Outcome } from '../command-line.js'
import { type DefinedCommand, defineCommand } from '../define-command.js'
import { withProgress } from '../output/progress-display.js'

interface RenameOptions extends UpdateOptions {
  allSkills?: true
}

interface StateOptions extends RenameOptions {
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

const stateCommand = (action: Action): DefinedCommand =>
  defineCommand<StateOptions>({
    usage: `${action} <id...>`,
    summary: texts[action].summary,
    details: [
      'An id is owner/repo or owner/repo@skill, of a prompt its id, of an organization its login; in any case. When one is ' +
        'unknown, nothing is changed. With --all-skills an id is that of a repository, owner/repo, and all skills in it are ' +
        'changed.',
      texts[action].details,
      'Then the search index, the export files and the statistics are updated. Files of earlier snapshots stay as they are.',
    ],
    examples: [
      `${action} acme/label-printer acme/kit@labels`,
      `${action} acme/kit --all-skills`,
      `${action} greeting-card --type prompts --json`,
    ],
    options: (command) =>
      noUpdate(
        allSkillsOption(
          command.addOption(
            new Option('--type <type>', 'the type of the records').choices(recordTypes).default('skills'),
          ),
        ),
      ),
    run: (cli, { type, allSkills = false, ...options }, given) => {
      if (allSkills && type !== 'skills') {
        throw operatorError('bad_arguments', '--all-skills is for skills: leave it out, or give --type skills.')
      }
      return moderate(cli, options, async (catalog) => {
        const state = moderationStates[action]
        const { ids, changed } = await setState(catalog, type, given, state, allSkills)
        const isChanged = new Set(changed)
        const line = (id: string) => `${id} ${isChanged.has(id) ? texts[action].done : texts[action].already}.`
        const summary = `${formatCount(ids.length, 'skills')} of ${given.join(', ').toLowerCase()}: ${formatNumber(changed.length)} changed, ${state} now; ${formatNumber(ids.length - changed.length)} already.`
        return {
          result: { type, state, changed, unchanged: ids.length - changed.length },
          lines: allSkills ? [summary] : [...ids.map(line), ...(type === 'skills' ? await othersOf(catalog, ids) : [])],
        }
      })
    },
  })

const allSkillsOption = (command: Command): Command =>
  command.option('--all-skills', 'change all skills of the repositories with these ids')

/** What to know of repositories whose own skill alone was changed. */
async function othersOf(catalog: ModeratedCatalog, ids: string[]): Promise<string[]> {
  const lines: string[] = []
  for (const id of ids.filter((each) => !each.includes('@'))) {
    const others = (await catalog.idsOfRepository(id)).length - 1
    if (others > 0) {
      lines.push(`${formatCount(others, 'skills')} more of ${id} stay as they are; --all-skills changes them as well.`)
    }
  }
  return lines
}

export const hide = stateCommand('hide')
export const unhide = stateCommand('unhide')
export const remove = stateCommand('remove')

/** `rename`: gives a skill, or all skills of a repository, another owner or repository name. */
export const rename = defineCommand<RenameOptions>({
  usage: 'rename <id> <new-id>',
  summary: 'give a skill or a repository another owner or name',
  details: [
    'Requests for the former id are redirected to the new one, which keeps the record and the history of its stars. The ' +
      'record of the former id stays, hidden, so that a source that still has it does not publish it again.',
    'The new id is written as given: owner and repository keep their capitals. With --all-skills both ids are those of ' +
      'repositories, and all skills of the first one go to the second one under their own names.',
  ],
  examples: [
    'rename acme/label-printer Acme/label-maker',
    'rename acme/kit@labels acme/kit@label-sheets',
    'rename acme/kit Acme/tools --all-skills',
  ],
  options: (command) => noUpdate(command.option('--all-skills', 'rename all skills of a repository')),
  run: (cli, { allSkills, ...options }, [id = '', name = '']) =>
    moderate(cli, options, async (catalog) => {
      const times = { now: cli.clock(), signal: cli.signal }
      const from = givenSkillId(id)
      if (allSkills) {
        const ids = await renameRepository(catalog, id, name, times)
        return { result: { from, ids }, lines: [`${formatCount(ids.length, 'skills')} of ${from} are in ${name} now.`] }
      }
      const renamed = await renameSkill(catalog, id, name, times)
      return { result: { from, id: renamed }, lines: [`${from} is ${name} now.`, ...(await othersOf(catalog, [from]))] }
    }),
})

/** Changes records under the lock of imports, and updates what is made from them. */
function moderate(
  cli: CommandLine,
  options: UpdateOptions,
  change: (catalog: ModeratedCatalog) => Promise<{ result: Record<string, unknown>; lines: string[] }>,
): Promise<Outcome> {
  return cli.withStores({ withoutIndex: true }, (stores) =>
    withProgress(cli, options, async (display) => {
      // A document with this id may have been written a moment ago.
      await readDocuments(cli, stores, display)
      const { result, lines } = await withWriteLock(stores.catalog, () => change(stores.catalog))
      const updates = options.update ? await bringUpToDate(cli, stores, display) : null
      return {
        status: 0,
        result: { ...result, ...updates },
        text: `${[...lines, ...searchIndexLines(updates)].join('\n')}\n`,
      }
    }),
  )
}
