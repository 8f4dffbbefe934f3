import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from '@jest/globals'
import { projectRoot } from '../../shared/runtime/project-root.js'
import { temporaryFolder } from '../support/temporary-folder.js'

/** A thread whose query takes some tenths of a second, and then hands over rows. */
const thread = `
import Database from '${pathToFileURL(createRequire(import.meta.url).resolve('libsql')).href}'
const database = new Database(':memory:')
const query = database.prepare(
  'WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 800000) SELECT x FROM n WHERE x % 100000 = 0',
)
export default () => query.all()
`

/** Ends the process while its thread runs that query. */
const program = `
import { endProcess } from '${builtFile('end-process')}'
import { openThreadPool } from '${builtFile('thread-pool')}'
const pool = openThreadPool(process.argv[1], null, { minThreads: 1, maxThreads: 1 })
await pool.run()
pool.run()
setTimeout(() => {
  endProcess(3)
  endProcess(4)
  pool.run().then(() => console.log('called'))
}, 20)
`

test('the process ends with its status, not by the crash of a thread within a native call', async () => {
  const module = join(temporaryFolder(), 'thread.mjs')
  await writeFile(module, thread)

  const child = execFile(process.execPath, ['--input-type=module', '--eval', program, pathToFileURL(module).href])
  let said = ''
  for (const output of [child.stdout, child.stderr]) {
    output?.on('data', (chunk) => {
      said += String(chunk)
    })
  }
  const ended = await new Promise((resolve) => child.on('close', (status, signal) => resolve(signal ?? status)))

  expect({ ended, said }).toEqual({ ended: 3, said: '' })
})

function builtFile(name: string): string {
  return pathToFileURL(join(projectRoot(), `dist/shared/runtime/${name}.js`)).href
}
