import { pathToFileURL } from 'node:url'
import { expect, test } from '@jest/globals'
import { filterTable } from '../../shared/ports/filter-table.js'
import { sampleFolder } from '../support/sample-folder.js'
import { nodeStart, started } from '../support/service-process.js'

/** Adds a row to the table in each thread, before the service reads it. */
const row = { field: 'forks', kind: 'number', max: 1e6, description: 'skills with at least this number of forks' }
const table = pathToFileURL('dist/shared/ports/filter-table.js').href
const preload = `data:text/javascript,import{filterTable}from${JSON.stringify(table)};filterTable.leastForks=${JSON.stringify(row)}`

test('a filter that was added works in the threads of a catalog that was made without it', async () => {
  const service = nodeStart({ DATA_DIR: await sampleFolder() }, ['--import', encodeURI(preload)])
  const url = await started(service)
  for (const path of ['/api/skills?', '/api/skills?license=mit&topic=pdf&', '/api/v1/skills/search?q=pdf&']) {
    const all = (await (await fetch(`${url}${path}limit=100`)).json()) as { data: { id: string; forks: number }[] }
    const some = (await (await fetch(`${url}${path}limit=100&leastForks=50`)).json()) as typeof all
    const expected = all.data.filter(({ forks }) => forks >= 50)
    expect(some.data.map(({ id }) => id)).toEqual(expect.arrayContaining(expected.map(({ id }) => id)))
    expect(some.data.every(({ forks }) => forks >= 50)).toBe(true)
    expect(some.data.length).toBeGreaterThan(0)
  }
  expect(Object.keys(filterTable)).not.toContain('leastForks')
})
