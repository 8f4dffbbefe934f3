import { rebuildIndex } from '../../jobs/rebuild-index.js'
import { jobCommand } from '../job-command.js'

/** `rebuild`: builds a new index while the old one answers searches. */
export const rebuild = jobCommand(rebuildIndex, {
  usage: 'rebuild',
  details: [
    'Searches are answered from the old index until the new one replaces it. An interrupted rebuild is resumed. ' +
      'It has a low priority: a service on the same machine goes first.',
  ],
  examples: ['rebuild', 'rebuild --json'],
  rateFields: ['documents'],
})
