import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from '@jest/globals'
import { AppError } from '../../shared/runtime/errors.js'
import { projectRoot } from '../../shared/runtime/project-root.js'
import { openThreadPool } from '../../shared/runtime/thread-pool.js'
import { afterTest } from '../support/after-test.js'
import { temporaryFolder } from '../support/temporary-folder.js'

const builtFile = (name: string) => pathToFileURL(join(projectRoot(), `dist/shared/runtime/${name}.js`)).href

/** A thread that fails as its call says. */
const thread = `
import { unavailable } from '${builtFile('errors')}'
import { answering } from '${builtFile('thread-pool')}'
export default answering((call) => {
  throw call === 'known' ? unavailable('catalog_unavailable', 'The catalog is busy.', 2, new TypeError('locked')) : new TypeError('a bug')
})
`

async function errorOf(call: string): Promise<unknown> {
  const module = join(temporaryFolder(), 'thread.mjs')
  await writeFile(module, thread)
  const pool = openThreadPool(pathToFileURL(module).href, null, { minThreads: 1, maxThreads: 1 })
  afterTest(() => pool.close())
  return pool.run(call).catch((error: unknown) => error)
}

test('an AppError of a thread has its code, its headers, and its cause as an error', async () => {
  const error = await errorOf('known')

  expect(error).toBeInstanceOf(AppError)
  expect(error).toMatchObject({ status: 503, code: 'catalog_unavailable', headers: { 'Retry-After': '2' } })
  expect(error).toMatchObject({ message: 'The catalog is busy.', cause: { name: 'Error', message: 'locked' } })
})

test('any other error of a thread has its message and its stack', async () => {
  const error = await errorOf('unknown')

  expect(error).not.toBeInstanceOf(AppError)
  expect(error).toMatchObject({ message: 'a bug', stack: expect.stringContaining('thread.mjs') })
})
