import { printableLine } from '../../../../shared/text/clean-text.js'
import { formatNumber } from '../../../../shared/text/format-numbers.js'
import type { CommandLine, CommonOptions, ExitStatus, Outcome } from '../command-line.js'
import { defineCommand } from '../define-command.js'
import {
  type Check,
  checkConfiguration,
  checkNode,
  correctFirst,
  type PlaceChecks,
  unchecked,
} from '../doctor/check.js'
import { checkFolder, checkServers } from '../doctor/check-servers.js'
import { checkWork } from '../doctor/check-work.js'
import { indented, type Screen, screenOf } from '../output/screen.js'

/** `doctor`: checks the catalog and its surroundings. */
export const doctor = defineCommand<CommonOptions>({
  usage: 'doctor',
  summary: 'check configuration, data folder or servers, and jobs, and say what to do',
  details: [
    'Checked are: the settings; the version of Node.js; the data folder (rights, free disk, format, the service that has ' +
      'claimed it) or the servers (MongoDB, Meilisearch, Redis: versions, settings, clocks); the sync of the search index, ' +
      'failed and paused jobs, dead letters. Nothing is changed.',
    'Exit status: 0 all is fine; 1 there are findings; 2 something could not be checked.',
  ],
  examples: ['doctor', 'doctor --json'],
  async run(cli) {
    const checks = await checkAll(cli)
    return outcomeOf(checks, screenOf(cli.stdout))
  },
})

async function checkAll(cli: CommandLine): Promise<Check[]> {
  const program = [checkNode(), ...checkConfiguration(cli)]
  if (program.some(({ name, state }) => name === 'configuration' && state !== 'fine')) {
    return [...program, unchecked('catalog', 'its place is known by a valid configuration only', correctFirst)]
  }
  const { servers, dataDir } = cli
  const { checks, catalog } = servers === null ? await checkFolder(dataDir ?? '') : await checkServers(servers, cli.log)
  return [...program, ...checks, ...(await checkCatalog(catalog, cli))]
}

async function checkCatalog(catalog: PlaceChecks['catalog'], cli: CommandLine): Promise<Check[]> {
  switch (catalog) {
    case 'readable':
      return checkWork(cli)
    case 'unreadable':
      return [unchecked('jobs', 'the catalog stores how they went, and cannot be read', correctFirst)]
    case 'absent':
      return []
  }
}

function outcomeOf(checks: Check[], screen: Screen): Outcome {
  const count = (state: Check['state']) => checks.filter((check) => check.state === state).length
  const [findings, notChecked] = [count('finding'), count('unchecked')]
  const summary = [
    findings === 0 ? 'No findings' : `${formatNumber(findings)} ${findings === 1 ? 'finding' : 'findings'}`,
    ...(notChecked === 0 ? [] : [`${formatNumber(notChecked)} not checked`]),
  ].join(', ')
  return {
    status: statusOf(findings, notChecked),
    result: { findings, unchecked: notChecked, checks },
    text: `${checks.map((check) => checkText(check, screen)).join('\n')}\n\n${screen.style('bold', `${summary}.`)}\n`,
  }
}

const statusOf = (findings: number, notChecked: number): ExitStatus => {
  if (notChecked > 0) {
    return 2
  }
  return findings > 0 ? 1 : 0
}

const marks = { fine: ['ok', 'green'], finding: ['!!', 'red'], unchecked: ['??', 'yellow'] } as const

function checkText({ name, state, detail, remedy }: Check, screen: Screen): string {
  const [mark, color] = marks[state]
  const text = indented(printableLine(`${name}: ${detail}`), 4, screen).slice(4)
  const lines = [`${screen.style(color, mark)}  ${text}`]
  return [...lines, ...(remedy === null ? [] : [indented(`→ ${printableLine(remedy)}`, 4, screen)])].join('\n')
}
