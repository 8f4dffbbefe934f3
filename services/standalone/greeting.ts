import { resolve } from 'node:path'
import type { Stores } from '../../shared/adapters/open.js'
import { AppError } from '../../shared/errors.js'
import type { Stats } from '../../shared/records/stats.js'
import { stateKeys } from '../../shared/state-keys.js'
import { counted } from '../indexer/cli/figures.js'

export interface GreetingOptions {
  stores: Pick<Stores, 'catalog' | 'index'>
  url: string
  /** As configured. */
  dataDir: string
  /** Whether this start has loaded the sample. */
  sampleLoaded: boolean
}

/** What the operator reads when the service answers: what is there, and what to try. */
export async function greeting({ stores, url, dataDir, sampleLoaded }: GreetingOptions): Promise<string> {
  const { catalog, index } = stores
  const { skills, total } = await catalog.listSkills({ filters: {}, sort: 'stars', order: 'desc', limit: 1 })
  const stats = await catalog.readState<Stats>(stateKeys.stats)
  // Figures from before an import say less than there is.
  const counts = stats?.totals.skills === total ? countsOf(stats) : counted(total, 'skills')
  const indexed = await documentsIn(index)
  const first = skills[0]
  // The commands act on the folder that their own DATA_DIR names.
  const command = `${dataDir === './data' ? '' : `DATA_DIR=${quoted(dataDir)} `}npm run catalog --`
  return [
    `Skill Catalog answers at ${url}`,
    `${counts}${sampleLoaded ? ', the sample that comes with it' : ''}, in ${resolve(dataDir)}`,
    ...(indexed === null ? ['The search index cannot be read: the log says why, and what to do.'] : []),
    ...((indexed ?? total) < total
      ? ['The search index is being brought up to date: until then a search finds less.']
      : []),
    '',
    'Try, in another terminal:',
    `  curl '${url}/api/v1/skills/search?q=pdf'`,
    `  curl '${url}/api/skills?limit=5'`,
    ...(first === undefined ? [] : [`  curl '${url}/api/skills/${first.owner}/${first.repo}'`]),
    `  curl '${url}/api/v1/stats'`,
    `  curl -OJ '${url}/api/v1/export?type=skills&format=csv'`,
    `  ${command} import skills.ndjson --type skills`,
    `  ${command} --help`,
    '',
    'Ctrl-C ends it.',
    '',
  ].join('\n')
}

/** Null when the index cannot tell, without which all but searches is answered all the same. */
async function documentsIn(index: Stores['index']): Promise<number | null> {
  try {
    return (await index.status()).documents
  } catch (error) {
    if (error instanceof AppError) {
      return null
    }
    throw error
  }
}

const countsOf = ({ totals }: Stats): string =>
  `${counted(totals.skills, 'skills')}, ${counted(totals.prompts, 'prompts')} and ` +
  counted(totals.organizations, 'organizations')

const quoted = (text: string): string => (/^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)
