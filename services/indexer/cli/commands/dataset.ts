import { writeDataset } from '../../jobs/write-dataset.js'
import { jobCommand } from '../job-command.js'

/** `dataset`: writes the files with every record. */
export const dataset = jobCommand(writeDataset, {
  usage: 'dataset',
  details: [
    'Every record, not only the first 10,000 of each type. Nothing is published when no record has changed since the ' +
      'newest files.',
  ],
  examples: ['dataset', 'dataset --json'],
  rateFields: ['skills'],
})
