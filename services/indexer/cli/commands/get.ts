import { namedSkill } from '../../../../shared/fields/web-address.js'
import { operatorError } from '../../../../shared/runtime/errors.js'
import type { CommonOptions } from '../command-line.js'
import { defineCommand } from '../define-command.js'
import { screenOf } from '../output/screen.js'
import { SkillAnswer, skillText } from '../output/skill-text.js'
import { askApi } from '../public-api.js'
import { withUrl } from './search.js'

interface GetOptions extends CommonOptions {
  url?: string
}

/** `get`: one skill, from the public API of a catalog. */
export const get = defineCommand<GetOptions>({
  usage: 'get <owner/repo>',
  summary: 'show one skill, from here or from another catalog',
  details: [
    'Asks the public API of a running service: the configured one on this machine, or the one at --url. A former name ' +
      'finds the skill as well. With --json the answer of the API is passed on.',
  ],
  examples: ['get quillmoor/pdf-table-lifter', 'get quillmoor/pdf-table-lifter --url https://catalog.example --json'],
  options: withUrl,
  async run(cli, { url }, [id = '']) {
    const named = namedSkill(id)
    if (named === null) {
      throw operatorError('bad_arguments', `${id} is not the id of a skill, which looks like owner/repo.`)
    }
    const { owner, repo } = named
    const path = `/api/v1/skills/${encodeURIComponent(owner)}/${encodeURIComponent(repo)}`
    const { sent, known } = await askApi(cli, url, path, SkillAnswer)
    return { status: 0, result: sent, text: skillText(known.data, screenOf(cli.stdout), cli.clock()) }
  },
})
