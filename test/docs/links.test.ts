import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from '@jest/globals'
import { projectRoot } from '../../shared/runtime/project-root.js'
import { documents, inlineCode, proseOf } from './documents.js'

test.each(documents)('every relative link of $path leads somewhere', (document) => {
  const targets = [...proseOf(document).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target)
  const relative = targets.filter((target) => !/^[a-z]+:/.test(target))

  expect(relative.filter((target) => !exists(target, document.path))).toEqual([])
})

test.each(documents)('every file that $path names is there', (document) => {
  const files = inlineCode(document).filter((code) => /^(?:services|shared|test|infra|docs|\.ci)\/[\w./-]*$/.test(code))

  expect(files.filter((file) => !existsSync(join(projectRoot(), file)))).toEqual([])
})

test('the README leads to every page, and has at most 200 lines', () => {
  const [readme, ...others] = documents
  const pages = others.map(({ path }) => path).filter((path) => !path.startsWith('infra/'))

  expect(pages.filter((path) => !readme?.text.includes(`](${path})`))).toEqual([])
  expect(readme?.text.split('\n').length).toBeLessThanOrEqual(200)
})

/** Whether a link's file is there, and the heading that it names in it. */
function exists(target: string, from: string): boolean {
  const [path = '', anchor] = target.split('#')
  const file = join(projectRoot(), path === '' ? from : join(dirname(from), path))
  return existsSync(file) && (anchor === undefined || anchorsOf(readFileSync(file, 'utf8')).has(anchor))
}

/** The anchors that GitHub gives to the headings of a document. */
const anchorsOf = (text: string): Set<string> =>
  new Set(
    [...text.replace(/^```[^\n]*\n[\s\S]*?^```$/gm, '').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .replace(/\s/g, '-'),
    ),
  )
