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

test.each([
  ['without separators around it', 'repo | note, of ours, by us, for all\n:--- | ---\na/b | A\n'],
  ['of psql', ' repo | note \n------+------\n a/b  | A\n(1 row)\n'],
  [
    'of mysql',
    '+------+------+\n| repo | note |\n+------+------+\n| a/b  | A    |\n+------+------+\n1 row in set (0.00 sec)\n',
  ],
])('a table %s has one row', async (_whose, table) => {
  expect(await read(table)).toEqual([expect.stringMatching(/^line [34]: \{"repo":" ?a\/b *","note/)])
})

test('between tabs, escapes are the characters that databases write so', async () => {
  const rows = String.raw`A "b"\n\tc\\d`

  expect(await read(`repo\tnote\na/b\t${rows}\na/c\t\\N\n`)).toEqual([
    String.raw`line 2: {"repo":"a/b","note":"A \"b\"\n\tc\\d"}`,
    String.raw`line 3: {"repo":"a/c","note":"\\N"}`,
  ])
})

test.each([
  ['of a path', 'repo\tnote\na/b\tC:\\new\\Users\n'],
  ['between commas', 'repo,note\na/b,C:\\new\\Users\n'],
  ['in quotes', 'repo\tnote\na/b\t"C:\\new\\Users"\n'],
])('a backslash that may be meant stays: %s', async (_what, rows) => {
  expect(await read(rows)).toEqual([String.raw`line 2: {"repo":"a/b","note":"C:\\new\\Users"}`])
})

test('a quote with a backslash before it is a part of its cell, where none is doubled', async () => {
  const rows = 'repo,note,tags\na/b,"A \\"b\\", c","[\\"d\\",\\"e\\"]"\na/c,"C:\\dir","Ends in \\"f\\""\n'

  expect(await read(rows)).toEqual([
    String.raw`line 2: {"repo":"a/b","note":"A \"b\", c","tags":"[\"d\",\"e\"]"}`,
    String.raw`line 3: {"repo":"a/c","note":"C:\\dir","tags":"Ends in \"f\""}`,
  ])
  expect(await read('repo,note\na/b,"A ""b"""\na/c,"A \\"b\\" c"\n')).toEqual([
    String.raw`line 2: {"repo":"a/b","note":"A \"b\""}`,
    expect.stringMatching(/^line 3 rejected: a quote is/),
  ])
})

test.each(['row_to_json\n"{""full_name"":""acme/kit""}"\n', '_airbyte_ab_id,_airbyte_data\n1,{}\n'])(
  'what to do with JSON in cells is said: %j',
  async (rows) => {
    expect(await read(rows)).toEqual([expect.stringMatching(/\. Write the JSON of each row in a line of its own/)])
  },
)

test('the row of a name that is struck out is not read', async () => {
  const table =
    '| repo | note |\n|---|---|\n| ~~a/b~~ | A |\n| [~~a/b~~](https://a.example) | A |\n| <del>a/b</del> | A |\n'

  expect(await read(`${table}| a/c | ~~A~~ |\n`)).toEqual([expect.stringMatching(/^line 6: \{"repo":" ?a\/c/)])
})

test.each([
  ['repo,note\na/b,="00123"\n', '{"repo":"a/b","note":"00123"}'],
  ['repo,note\n="a/b","=""A """"b"""""""\n', '{"repo":"a/b","note":"A \\"b\\""}'],
  ['repo\tnote\na/b\t="00123"\n', '{"repo":"a/b","note":"00123"}'],
  ['repo,url\na/b,"=HYPERLINK(""https://a.example"",""A"")"\n', '{"repo":"a/b","url":"https://a.example"}'],
  ['repo,note\na/b,"=hyperlink(""https://a.example""; ""A"")"\n', '{"repo":"a/b","note":"A"}'],
  [
    'repo,logo,note\na/b,"=IMAGE(""https://a.example/b.png"",1)","=IMAGE(""https://a.example/b.png"")"\n',
    '{"repo":"a/b","logo":"https://a.example/b.png"}',
  ],
  ['repo,note\na/b,"=HYPERLINK(""https://a.example"")"\n', '{"repo":"a/b","note":"https://a.example"}'],
  ['repo,note\na/b,"=1 is ""one"", or =""1"""\n', '{"repo":"a/b","note":"=1 is \\"one\\", or =\\"1\\""}'],
])('a formula of a text or a link is that text, or its address: %j', async (rows, record) => {
  expect(await read(rows)).toEqual([`line 2: ${record}`])
})

test('a name whose link leads to a repository is at its address', async () => {
  const rows =
    'name,homepage\n"=HYPERLINK(""https://github.com/acme/kit"",""Kit"")",https://a.example\n' +
    '"=HYPERLINK(""https://a.example"",""A"")",\n'

  expect(await readAll(readCsv(Buffer.from(rows), inPieces(rows), new Set(['name'])))).toEqual([
    'line 2: {"name":"Kit","homepage":"https://a.example","link":"https://github.com/acme/kit"}',
    'line 3: {"name":"A"}',
  ])
})
