import { expect, test } from '@jest/globals'
import { readCsv } from '../../services/indexer/import/read-csv.js'
import { inPieces, readAll } from '../support/source-items.js'

const read = (content: string) => readAll(readCsv(Buffer.from(content), inPieces(content), new Set(['repo'])))

test('between tabs, quotes within cells alone are text, as databases write it', async () => {
  expect(await read('repo\tnote\na/b\tA "b" c\na/c\t1"\n')).toEqual([
    'line 2: {"repo":"a/b","note":"A \\"b\\" c"}',
    'line 3: {"repo":"a/c","note":"1\\""}',
  ])
})

test('between tabs, a cell that begins with a quote is in quotes', async () => {
  expect(await read('repo\tnote\na/b\t"A ""b""\n c"\na/c\tx"y\n')).toEqual([
    'line 2: {"repo":"a/b","note":"A \\"b\\"\\n c"}',
    expect.stringMatching(/^line 4 rejected: a quote is missing or misplaced/),
  ])
})

test('between commas, a quote within a cell is misplaced', async () => {
  expect(await read('repo,note\na/b,A "b" c\n')).toEqual([expect.stringMatching(/^line 2 rejected: a quote is/)])
})

test('in a table of Markdown, an author may be a link, and a cell may have lines', async () => {
  const table =
    '| act | prompt | contributor | repo |\n|---|---|---|---|\n| Poet | Be<br>brief. | [@f](https://github.com/f) | |\n'

  expect(await read(table)).toEqual([
    expect.stringMatching(/"act":" ?Poet ?","prompt":" ?Be\\nbrief. ?","contributor":" ?@f ?"/),
  ])
})
