/** The job that other services than the indexer ask for. */
export const writeExportsName = 'write-exports'
