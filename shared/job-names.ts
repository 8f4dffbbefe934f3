/** The job that reads the documents of other applications; every writer of rows holds its lock. */
export const ingestName = 'ingest'

/** The job that query services request from the indexer. */
export const writeExportsName = 'write-exports'
