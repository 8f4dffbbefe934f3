import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from '@jest/globals'
import { readCsv } from '../../services/indexer/import/read-csv.js'
import { UnreadableSource } from '../../services/indexer/import/source.js'
import { inPieces, itemsOf, mapAll, readAll } from '../support/source-items.js'

const read = (content: string | Buffer, size?: number) =>
  readAll(readCsv(Buffer.from(content), inPieces(content, size), new Set(['owner', 'repo'])))

test('each row is a record, with the line on which it begins', async () => {
  expect(
    await read('\ufeffowner,repo,note\r\nacme,pdf,"a ""quoted"", one\r\non two lines"\r\n\r\nacme,csv,é🚀\r\n'),
  ).toEqual([
    'line 2: {"owner":"acme","repo":"pdf","note":"a \\"quoted\\", one\\r\\non two lines"}',
    'line 5: {"owner":"acme","repo":"csv","note":"é🚀"}',
  ])
})

test.each([
  ['\r\n', '\n'],
  ['\n', '\r\n'],
])('lines may end in several ways: %j, then %j', async (first, second) => {
  const content = `owner,repo,note${first}acme,pdf,"a\rb"${second}acme,csv,c${second}${second}acme,zip,d${first}`

  for (const size of [1, 7, 1_000]) {
    expect(await read(content, size)).toEqual([
      'line 2: {"owner":"acme","repo":"pdf","note":"a\\rb"}',
      'line 4: {"owner":"acme","repo":"csv","note":"c"}',
      'line 6: {"owner":"acme","repo":"zip","note":"d"}',
    ])
  }
})

test('lines may end as on old Macs, with line feeds in their cells', async () => {
  expect(await read('owner,"the\nrepo",repo\racme,"a\nb",pdf\racme,c,csv\r')).toEqual([
    'line 3: {"owner":"acme","the\\nrepo":"a\\nb","repo":"pdf"}',
    'line 5: {"owner":"acme","the\\nrepo":"c","repo":"csv"}',
  ])
})

test('multi-byte characters in long cells are not split', async () => {
  const name = `x${'🚀é'.repeat(2_000)}`

  expect(await read(`owner,repo\n${name},pdf\n`)).toEqual([`line 2: {"owner":"${name}","repo":"pdf"}`])
})

test.each([';', '\t', '|'])('cells may be separated by %j', async (separator) => {
  expect(await read(`owner,repo\nacme,pdf\n`.replaceAll(',', separator))).toEqual([
    'line 2: {"owner":"acme","repo":"pdf"}',
  ])
})

test.each([
  ['sep=;\nowner;repo\na,b;pdf\n', 'line 3: {"owner":"a,b","repo":"pdf"}'],
  ['\ufeffsep=,\r\nowner,repo\r\nacme,pdf\r\n', 'line 3: {"owner":"acme","repo":"pdf"}'],
  ['"sep=|"\nowner|repo\nacme|pdf\n', 'line 3: {"owner":"acme","repo":"pdf"}'],
  ['\n\nowner;repo\nacme;pdf\n', 'line 4: {"owner":"acme","repo":"pdf"}'],
])('the separator of %j is known', async (content, row) => {
  expect(await read(content)).toEqual([row])
})

test.each([
  ['| owner | repo |\n|:---|---:|\n| acme | pdf |\n', '{"owner":" acme ","repo":" pdf "}'],
  [' owner | repo \n-------+------\n acme  | pdf\n', '{"owner":"acme","repo":"pdf"}'],
])('the line below the header of a table is no row: %j', async (table, row) => {
  expect(await read(table)).toEqual([`line 3: ${row}`])
})

test('in a table of Markdown, quotes and an escaped separator are text', async () => {
  const table = '| owner | repo | note |\n| --- | --- | --- |\n| acme | pdf | "a" \\| b | \n| acme | csv | 1" |\n'

  expect(await read(table)).toEqual([
    'line 3: {"owner":" acme ","repo":" pdf ","note":" \\"a\\" | b "}',
    'line 4: {"owner":" acme ","repo":" csv ","note":" 1\\" "}',
  ])
  expect(await read(table.replaceAll('| ', '').replaceAll(' |', ''))).not.toHaveLength(2)
})

test('in a table of Markdown, the link of a name is the address of its repository', async () => {
  const url = 'https://github.com/acme/kit/tree/main/skills/pdf'
  const rows = ['| Skill | Description |', '|---|---|', `| **[PDF](${url}) ![](a.png)** | See [x](${url}2). |`]
  const table = Buffer.from(rows.join('\n'))

  expect(await mapAll(readCsv(table, inPieces(table), new Set(['skill'])))).toMatchObject([
    { id: 'acme/kit@pdf', url, path: 'skills/pdf', description: 'See x.' },
  ])
})

test('spaces around the quotes of a cell are no part of it', async () => {
  expect(await read('owner , "repo" ,"note"\nacme, "pdf","a ""b"", c" \nacme,csv, "" \n')).toEqual([
    'line 2: {"owner":"acme","repo":"pdf","note":"a \\"b\\", c"}',
    'line 3: {"owner":"acme","repo":"csv"}',
  ])
})

test('a bad row below a separator, and none below a bad header, is reported', async () => {
  expect(await read('sep=;\nx"y;z\nowner;repo\nacme;pdf\n')).toEqual([
    expect.stringMatching(/^line 2 rejected: a quote is missing or misplaced, up to line 2;/),
    'line 4: {"owner":"acme","repo":"pdf"}',
  ])
  expect(await read('acme,pdf\na"b,c\n', 1_000)).toEqual([
    expect.stringMatching(/^UnreadableSource: has no header row/),
  ])
})

test('the row numbers of a data frame are no loss, and other cells without a name are', async () => {
  const rows = [',owner,repo', '0,acme,pdf', '1,acme,csv', 'x,acme,xml']

  const items = await itemsOf(readCsv(Buffer.from(rows.join('\n')), inPieces(rows.join('\n')), new Set(['owner'])))

  expect(items.map((item) => ('record' in item ? item.dropped : item.reason))).toEqual([
    [],
    [],
    ['column 1: has no name in the header'],
  ])
})

test('empty columns and rows of a spreadsheet are none', async () => {
  const rows = ['owner,repo,,', 'acme,pdf,,', ',,,', 'acme,csv', 'acme,xml,,,,', 'acme,yaml,x,']

  const items = await itemsOf(readCsv(Buffer.from(rows.join('\n')), inPieces(rows.join('\n')), new Set(['owner'])))

  expect(items.map((item) => 'record' in item && [item.place, item.record['repo'], item.dropped])).toEqual([
    ['line 2', 'pdf', []],
    ['line 4', 'csv', []],
    ['line 5', 'xml', []],
    ['line 6', 'yaml', ['column 3: has no name in the header']],
  ])
})

test('the apostrophe in front of a formula is no part of the value', async () => {
  expect(await read("owner,repo\n'=acme,'tis\n")).toEqual([`line 2: {"owner":"=acme","repo":"'tis"}`])
})

test.each([
  ["''=acme", "'=acme"],
  ["'＝acme", '＝acme'],
  ["'null", 'null'],
  ["''null", "'null"],
  ["''tis", "''tis"],
])('in a cell, %s is %s', async (cell, text) => {
  expect(await read(`owner,repo,topics\nacme,${cell},a|b\n`)).toEqual([
    `line 2: {"owner":"acme","repo":"${text}","topics":"a|b"}`,
  ])
})

test('a row with a list in brackets is not from an export, and keeps its apostrophes', async () => {
  expect(await read("owner,repo,topics\n'=acme,pdf,[]\n'=acme,pdf,\n")).toEqual([
    `line 2: {"owner":"'=acme","repo":"pdf","topics":"[]"}`,
    'line 3: {"owner":"=acme","repo":"pdf"}',
  ])
})

const cellsRemedy =
  'write a cell for each column, also for no value, and put a text with a line break or a separator in quotes'

test('a row with more or fewer cells is rejected and the next one is read', async () => {
  expect(await read('owner,repo\nacme\nacme,pdf,x\nacme,csv\n')).toEqual([
    `line 2 rejected: has 1 cells, but the header has 2: ${cellsRemedy}`,
    `line 3 rejected: has 3 cells, but the header has 2: ${cellsRemedy}`,
    'line 4: {"owner":"acme","repo":"csv"}',
  ])
})

describe('a missing quote', () => {
  test('in front of another one costs the rows up to that', async () => {
    expect(await read('owner,repo\na,"pdf\nb,csv\nc,"xml"\nd,yaml\n', 1_000)).toEqual([
      'line 2 rejected: a quote is missing or misplaced, up to line 4; write a quote inside a quoted cell twice',
      'line 5: {"owner":"d","repo":"yaml"}',
    ])
  })

  test('more than once in a line costs that line, and is reported once', async () => {
    expect(await read('owner,repo\na,p"d"f\nb,csv\n')).toEqual([
      'line 2 rejected: a quote is missing or misplaced, up to line 2; write a quote inside a quoted cell twice',
      'line 3: {"owner":"b","repo":"csv"}',
    ])
  })

  test('a thousand times in a line ends the reading, and the rows before it are read', async () => {
    const lines = await read(`owner,repo\na,pdf\nb,${'-"'.repeat(50_000)}\nc,csv\n`)

    expect(lines.map((line) => line.slice(0, 70)).toSorted()).toEqual([
      'UnreadableSource: line 3 has more than 1000 misplaced quotes',
      'line 2: {"owner":"a","repo":"pdf"}',
      'line 3 rejected: a quote is missing or misplaced, up to line 3; write ',
    ])
  })

  test('in a large file does not take all of it into memory', async () => {
    const rows = 'c,xml\n'.repeat(300_000)

    expect(await read(`owner,repo\na,pdf\nb,"csv\n${rows}`, 65_536)).toEqual([
      'line 2: {"owner":"a","repo":"pdf"}',
      'UnreadableSource: could not be read on from line 3: a row is longer than 1048576 bytes; a closing quote may be missing',
    ])
  })
})

test('a row with nothing but separators is not longer than another one', async () => {
  const empty = `${'\n'.repeat(1_200_000)}b,csv\n`
  const lines = await read(
    `owner,repo\na,pdf\n${empty}"\n"${','.repeat(4_000_000)}"\n"${','.repeat(4_000_000)}\n`,
    65_536,
  )

  expect(lines).toEqual([
    'line 2: {"owner":"a","repo":"pdf"}',
    'line 1200003: {"owner":"b","repo":"csv"}',
    'UnreadableSource: could not be read on from line 1200004: a row is longer than 1048576 bytes; a closing quote may be missing',
  ])
})

test('a truncated last row is rejected, and the file is reported as incomplete', async () => {
  expect(await read('owner,repo\nacme,pdf\nacm')).toEqual([
    'line 2: {"owner":"acme","repo":"pdf"}',
    `line 3 rejected: has 1 cells, but the header has 2: ${cellsRemedy}`,
    'UnreadableSource: is truncated: its last row ends in the middle',
  ])
})

test('the title of a spreadsheet is no header', async () => {
  expect(await read('Our skills,,\n,,\nof 2026,,\nowner,repo,note\nacme,pdf,\n')).toEqual([
    'line 5: {"owner":"acme","repo":"pdf"}',
  ])
})

test('without a known header nothing is read', async () => {
  expect(await read('Our skills,,\nof 2026,,\n')).toEqual([expect.stringContaining('begins with: Our skills, ')])
  expect(await read('acme,pdf\nacme,csv\n')).toEqual([
    'UnreadableSource: has no header row that names a known column; it begins with: acme, pdf. Begin it with a line that names its columns, in English',
  ])
})

test.each([
  ['-- PostgreSQL database dump\n\nCOPY skills FROM stdin;\n', '. Write a table of a database as CSV'],
  ["INSERT INTO skills VALUES ('acme');\n", '. Write a table of a database as CSV'],
  ['- owner: acme\n  repo: pdf\n', 'Write YAML as JSON'],
  ['skills:\n  - repo: acme/pdf\n', 'Write YAML as JSON'],
])('of %j, which is no CSV, the reason says what to do', async (content, remedy) => {
  expect(await read(content)).toEqual([expect.stringContaining(remedy)])
})

test('an empty file has no records', async () => {
  expect(await read('')).toEqual([])
})

describe.each([1, 7, 1_000])('a file that fails while it is read, in chunks of %d bytes,', (size) => {
  const rows = 'owner,repo\nacme,pdf\nacme,"two\nlines"\nacme,cs'
  const records = ['line 2: {"owner":"acme","repo":"pdf"}', 'line 3: {"owner":"acme","repo":"two\\nlines"}']

  test('is read up to the last whole row when it is not UTF-8', async () => {
    const content = Buffer.concat([Buffer.from(rows), Buffer.from([0xe9]), Buffer.from('\nacme,xml\n')])

    expect(await read(content, size)).toEqual([
      ...records,
      expect.stringMatching(`^UnreadableSource: is not UTF-8 at byte ${rows.length}`),
    ])
  })

  test('is read up to the last whole row when its file fails', async () => {
    async function* failing() {
      yield* inPieces(rows, size)
      throw new UnreadableSource('is cut')
    }

    expect(await readAll(readCsv(Buffer.from(rows), failing(), new Set(['owner'])))).toEqual([
      ...records,
      'UnreadableSource: is cut',
    ])
  })

  test('loses no rejected row before it', async () => {
    async function* failing() {
      for (const row of ['owner,repo', 'acme,pdf', 'acme,"c"s"v"', 'acme,"x"m"l"']) {
        yield* inPieces(`${row}\n`, size)
        // The parser returns its buffered rows.
        await sleep(20)
      }
      throw new UnreadableSource('is cut')
    }

    expect((await readAll(readCsv(Buffer.from(rows), failing(), new Set(['owner'])))).toSorted()).toEqual([
      'UnreadableSource: is cut',
      'line 2: {"owner":"acme","repo":"pdf"}',
      expect.stringMatching('^line 3 rejected: '),
      expect.stringMatching('^line 4 rejected: '),
    ])
  })
})

test.each(['tags[0],tags[1],tags[2]', 'Topics/0,Topics/1,Topics/2', 'keywords.0,keywords.1,keywords.2'])(
  'a list may have a column for each of its items: %s',
  async (columns) => {
    const rows = `repo,${columns}\nacme/a,pdf,,"ci, cd"\nacme/b,,,\n`
    const read = await mapAll(readCsv(Buffer.from(rows), inPieces(rows), new Set(['repo'])))

    expect(read).toMatchObject([{ topics: ['pdf', 'ci, cd'] }, { topics: [] }])
  },
)
