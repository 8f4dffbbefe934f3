import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { projectRoot } from '../../shared/runtime/project-root.js'
import { sampleFolder } from '../support/sample-folder.js'
import { nodeStart, started } from '../support/service-process.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { sendTo } from '../support/test-app.js'

/** A copy of the built project, whose files a test may replace. */
function copiedProject(): string {
  const folder = temporaryFolder()
  cpSync(join(projectRoot(), 'dist'), join(folder, 'dist'), { recursive: true })
  for (const name of ['package.json', 'node_modules', 'infra', 'services', 'shared']) {
    symlinkSync(join(projectRoot(), name), join(folder, name))
  }
  return folder
}

const asReader = { Accept: 'text/html' }
const pages = ['/', '/?q=pdf', '/skills/quillmoor/pdf-table-lifter', '/topics/pdf', '/statistics', '/docs', '/nowhere']

test('a build that empties and replaces the files of pages does not change those of a running service', async () => {
  const folder = copiedProject()
  const built = join(folder, 'dist', 'web')
  // No page has been asked for before the first replacement.
  const url = await started(nodeStart({ DATA_DIR: await sampleFolder() }, [], folder))
  const readAll = async () => {
    const parts = new Set<string>()
    for (const path of pages) {
      const { status, text } = await sendTo(url, 'GET', path, asReader)
      expect({ path, status }).toEqual({ path, status: path === '/nowhere' ? 404 : 200 })
      for (const [, part] of text.matchAll(/(?:src|href)="(\/(?:assets|docs)\/[^"]+\.\w+)"/g)) {
        parts.add(String(part))
      }
    }
    const contents: [path: string, status: number, text: string][] = []
    for (const path of [...parts, '/favicon.ico', '/docs/openapi.json'].sort()) {
      const { status, text } = await sendTo(url, 'GET', path)
      contents.push([path, status, text])
    }
    return contents
  }

  rmSync(built, { recursive: true })
  const whileEmpty = await readAll()
  mkdirSync(join(built, '.vite'), { recursive: true })
  writeFileSync(join(built, '.vite', 'manifest.json'), '{"browser.tsx":')
  const whileWritten = await readAll()
  writeFileSync(join(built, '.vite', 'manifest.json'), '{"browser.tsx":{"file":"browser-01234567.js"}}')
  const afterwards = await readAll()

  expect(whileEmpty.filter(([, status]) => status !== 200)).toEqual([])
  expect(whileEmpty.length).toBeGreaterThan(7)
  expect(whileWritten).toEqual(whileEmpty)
  expect(afterwards).toEqual(whileEmpty)
})

test('a service without built pages does not start, and says what to do', async () => {
  const folder = copiedProject()
  rmSync(join(folder, 'dist', 'web'), { recursive: true })

  const service = nodeStart({ DATA_DIR: temporaryFolder() }, [], folder)

  expect(await service.ended).not.toBe(0)
  expect(service.stderr()).toContain('The pages are not built: run npm run build, then start again.')
})
