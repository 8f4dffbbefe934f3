import { rebuildIndex } from '../jobs/rebuild-index.js'
import { jobCommand } from './job-command.js'

/** `rebuild`: the whole index anew, while the old one goes on answering. */
export const rebuild = jobCommand(rebuildIndex, {
  usage: 'rebuild',
  details: [
    'Searches are answered from the old index until the new one takes its place. One that was interrupted is resumed.',
  ],
  examples: ['rebuild', 'rebuild --json'],
  counted: 'documents',
})
