import { resolve } from 'node:path'
import type { Stores } from '../../shared/adapters/stores.js'
import { skillOf, writtenId } from '../../shared/records/skill.js'
import type { Stats } from '../../shared/records/stats.js'
import { AppError } from '../../shared/runtime/errors.js'
import { stateKeys } from '../../shared/state-keys.js'
import { formatCount } from '../../shared/text/format-numbers.js'

export interface GreetingOptions {
  stores: Pick<Stores, 'catalog' | 'index'>
  url: string
  /** `DATA_DIR`, as configured. */
  dataDir: string
  /** Whether this start loaded the sample. */
  sampleLoaded: boolean
}

/** The text for the operator once the service answers: the state of the catalog, and commands to try. */
export async function greeting({ stores, url, dataDir, sampleLoaded }: GreetingOptions): Promise<string> {
  const { catalog, index } = stores
  const { skills, total } = await catalog.listSkills({ filters: {}, sort: 'stars', order: 'desc', limit: 1 })
  const stats = await catalog.readState<Stats>(stateKeys.stats)
  // Statistics older than the last import count too few records.
  const counts = stats?.totals.skills === total ? countsOf(stats) : formatCount(total, 'skills')
  const indexed = await documentsIn(index)
  const [first] = skills.map(skillOf)
  // The commands use the folder of their own DATA_DIR.
  const command = `${dataDir === './data' ? '' : `DATA_DIR=${quoted(dataDir)} `}npm run catalog --`
  return [
    `Skill Catalog answers at ${url}`,
    `${counts}${sampleLoaded ? ' from the sample' : ''}, in ${resolve(dataDir)}`,
    ...(indexed === null ? ['The search index cannot be read: see the log for the cause and the remedy.'] : []),
    ...((indexed ?? total) < total ? ['The search index is being updated: until then searches are incomplete.'] : []),
    '',
    'Try, in another terminal:',
    `  curl '${url}/api/v1/skills/search?q=pdf'`,
    `  curl '${url}/api/skills?limit=5'`,
    ...(first === undefined ? [] : [`  curl '${url}/api/skills/${writtenId(first)}'`]),
    `  curl '${url}/api/v1/stats'`,
    `  curl -f -OJ '${url}/api/v1/export?type=skills&format=csv'`,
    `  ${command} import skills.ndjson --type skills`,
    `  ${command} status`,
    `  ${command} --help`,
    '',
    'Ctrl-C stops it.',
    '',
  ].join('\n')
}

/** Null when the index is unavailable: all endpoints but searches work without it. */
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
  `${formatCount(totals.skills, 'skills')}, ${formatCount(totals.prompts, 'prompts')} and ` +
  formatCount(totals.organizations, 'organizations')

const quoted = (text: string): string => (/^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)
