import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { runCatalog } from '../support/run-catalog.js'
import { temporaryFolder } from '../support/temporary-folder.js'

test.each([
  ['sync'],
  ['verify'],
  ['rebuild'],
  ['status'],
  ['stats'],
  ['export'],
  ['dataset'],
  ['jobs'],
  ['jobs pause'],
  ['mcp'],
  ['hide acme/printer'],
  ['backup copy.db'],
])('%s creates no catalog where DATA_DIR names a folder without one', async (command) => {
  const folder = join(temporaryFolder(), 'mistyped')

  const { status, stdout, stderr } = await runCatalog(folder, command.split(' '))

  expect(status).toBe(2)
  expect(stdout).toBe('')
  expect(stderr).toContain(`There is no catalog in the folder ${folder}. Set DATA_DIR to one that has a catalog`)
  expect(existsSync(folder)).toBe(false)
})

test.each([
  ['import', ['import', '-', '--type', 'skills', '--format', 'ndjson']],
  ['seed', ['seed', '--skills', '1', '--prompts', '0', '--organizations', '0']],
])('%s creates the catalog', async (_, args) => {
  const folder = join(temporaryFolder(), 'new')

  const { status } = await runCatalog(folder, args, '{"owner":"acme","repo":"first","name":"First"}\n')

  expect(status).toBe(0)
  expect(existsSync(join(folder, 'catalog.db'))).toBe(true)
})
