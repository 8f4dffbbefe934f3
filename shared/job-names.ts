/** The job that query services request from the indexer. */
export const writeExportsName = 'write-exports'
