import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { recordTypes } from '../../shared/records/records.js'
import { querySqlite, readParquet } from '../support/dataset.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { sendTo } from '../support/test-app.js'
import type { ServedMode } from './two-modes.js'

/** Defines the tests of what both modes publish for databases. */
export function datasetFiles(modes: () => ServedMode[]): void {
  /** A file of the dataset of each mode. */
  const filesOf = (name: string) => Promise.all(modes().map(({ url }) => download(url, name)))

  test.each(recordTypes)('both modes have the same rows in %s.parquet', async (type) => {
    const [embedded, servers] = await Promise.all((await filesOf(`${type}.parquet`)).map(readParquet))

    expect(embedded?.rows.length).toBeGreaterThan(0)
    expect(servers?.metadata.schema).toEqual(embedded?.metadata.schema)
    expect(servers?.rows.map(withoutIndexedAt)).toEqual(embedded?.rows.map(withoutIndexedAt))
  })

  test.each([
    ...recordTypes.map((type) => `SELECT * FROM ${type} ORDER BY rowid`),
    'SELECT * FROM skill_topics ORDER BY skill, topic',
    "SELECT rowid, rank FROM skills_text('pdf OR table') ORDER BY rank, rowid",
    'SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name',
  ])('both modes have the same in catalog.sqlite: %s', async (query) => {
    const [embedded, servers] = (await filesOf('catalog.sqlite')).map((path) => querySqlite(path, query))

    expect(embedded?.length).toBeGreaterThan(0)
    expect(servers?.map(withoutIndexedAt)).toEqual(embedded?.map(withoutIndexedAt))
  })
}

/** Each catalog has its own times of ingest. */
const withoutIndexedAt = (row: Record<string, unknown>) => ({ ...row, indexedAt: null })

async function download(url: string, name: string): Promise<string> {
  const { datasets } = Object((await sendTo(url, 'GET', '/api/v1/exports')).body)
  const { bytes, status } = await sendTo(url, 'GET', `/api/v1/exports/${datasets[0].snapshot}/${name}`)
  expect(status).toBe(200)
  const path = join(temporaryFolder(), name)
  writeFileSync(path, bytes)
  return path
}
