import { namedSkills, type SkillPlace } from '../../../../shared/fields/web-address.js'
import { skillId } from '../../../../shared/records/skill.js'
import { AppError, operatorError } from '../../../../shared/runtime/errors.js'
import { printable } from '../../../../shared/text/clean-text.js'
import type { CommonOptions } from '../command-line.js'
import { defineCommand } from '../define-command.js'
import { screenOf } from '../output/screen.js'
import { SkillAnswer, skillText } from '../output/skill-text.js'
import { askApi, askForText } from '../public-api.js'
import { withUrl } from './search.js'

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
