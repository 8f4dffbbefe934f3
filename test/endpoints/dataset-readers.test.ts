import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { aSkill } from '../support/factories.js'
import { runProgram, whenProgram } from '../support/programs.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { sharedTestApp, type TestApp } from '../support/test-app.js'

const skills = [
  aSkill({ owner: 'Acme', repo: 'a', topics: ['pdf', 'ocr'], stars: 12, language: 'Python', archived: true }),
  aSkill({ owner: 'acme', repo: 'b', topics: ['ocr'], stars: null, createdAt: '2024-01-02T03:04:05.678Z' }),
  aSkill({ owner: 'globex', repo: 'c', topics: [], stars: 7, language: 'Python' }),
]

const shared = sharedTestApp({ skills }, async (api) => {
  await api.publishDataset()
  await api.publishExports()
})

async function published(): Promise<{ api: TestApp; url: (name: string) => string }> {
  const api = shared()
  const [dataset] = await api.stores.datasets.snapshots()
  return { api, url: (name) => `${api.url}/api/v1/exports/${dataset?.snapshot}/${name}` }
}

async function save(url: string): Promise<string> {
  const path = join(temporaryFolder(), url.slice(url.lastIndexOf('/') + 1))
  writeFileSync(path, Buffer.from(await (await fetch(url)).arrayBuffer()))
  return path
}

/** Runs a script, and returns the JSON that it prints. */
async function python(script: string, ...args: string[]): Promise<unknown> {
  const { status, stdout, stderr } = await runProgram('python3', ['-c', script, ...args])
  expect([status, stderr]).toEqual([0, expect.not.stringContaining('Error')])
  return JSON.parse(stdout)
}

/** Stars and number of the skills of each organization, by its login: both of `skills` have one owner, in two spellings. */
const joined = [
  ['acme', 2, 12],
  ['globex', 1, 7],
]

whenProgram('python3', ['-c', 'import duckdb'], () => {
  test('DuckDB joins skills and organizations by equal columns, from Parquet and CSV', async () => {
    const { api, url } = await published()
    const folder = temporaryFolder()
    const csv = await Promise.all(
      ['skills', 'organizations'].map(async (type) => {
        const path = join(folder, `${type}.csv`)
        writeFileSync(path, (await api.get(`/api/v1/export?type=${type}&format=csv`)).text)
        return path
      }),
    )

    for (const files of [[await save(url('skills.parquet')), await save(url('organizations.parquet'))], csv]) {
      const answer = await python(
        `import duckdb, json, sys
print(json.dumps(duckdb.sql(f"SELECT login, count(*), sum(s.stars)::INT FROM '{sys.argv[1]}' s JOIN '{sys.argv[2]}' ON organization = login GROUP BY login ORDER BY login").fetchall()))`,
        ...files,
      )

      expect(answer).toEqual(joined)
    }
  })

  test('DuckDB reads Parquet with its types', async () => {
    const { url } = await published()

    const answer = await python(
      `import duckdb, json, sys
file = sys.argv[1]
types = duckdb.sql(f"SELECT column_name, column_type FROM (DESCRIBE FROM '{file}')").fetchall()
topics = duckdb.sql(f"SELECT topic, count(*) FROM (SELECT unnest(topics) AS topic FROM '{file}') GROUP BY 1 ORDER BY 2 DESC").fetchall()
stars = duckdb.sql(f"SELECT language, sum(stars)::INT, bool_or(archived) FROM '{file}' GROUP BY 1 ORDER BY 2").fetchall()
created = duckdb.sql(f"SELECT epoch_ms(createdAt) FROM '{file}' WHERE createdAt IS NOT NULL").fetchall()
print(json.dumps([dict(types), topics, stars, created]))`,
      await save(url('skills.parquet')),
    )

    expect(answer).toEqual([
      expect.objectContaining({
        id: 'VARCHAR',
        topics: 'VARCHAR[]',
        stars: 'BIGINT',
        archived: 'BOOLEAN',
        createdAt: 'TIMESTAMP WITH TIME ZONE',
      }),
      [
        ['ocr', 2],
        ['pdf', 1],
      ],
      [
        ['Python', 19, true],
        [null, null, false],
      ],
      [[Date.parse('2024-01-02T03:04:05.678Z')]],
    ])
  })
})

whenProgram('python3', ['-c', 'import pandas, pyarrow'], () => {
  test('pandas joins skills and organizations by equal columns', async () => {
    const { url } = await published()

    const answer = await python(
      `import json, pandas, sys
skills, organizations = [pandas.read_parquet(path, dtype_backend="pyarrow") for path in sys.argv[1:]]
rows = skills.merge(organizations, left_on="organization", right_on="login", suffixes=("", "_organization")).groupby("login").stars
print(json.dumps(list(zip(rows.size().index, rows.size().tolist(), rows.sum(min_count=1).tolist()))))`,
      await save(url('skills.parquet')),
      await save(url('organizations.parquet')),
    )

    expect(answer).toEqual(joined)
  })

  test('pandas reads Parquet with its types', async () => {
    const { url } = await published()

    const answer = await python(
      `import json, pandas, sys
frame = pandas.read_parquet(sys.argv[1], dtype_backend="pyarrow")
types = {name: str(frame[name].dtype) for name in ("stars", "archived", "createdAt", "topics")}
print(json.dumps([types, frame["id"].tolist(), int(frame["stars"].sum()), [list(each) for each in frame["topics"]]]))`,
      await save(url('skills.parquet')),
    )

    expect(answer).toEqual([
      {
        stars: 'int64[pyarrow]',
        archived: 'bool[pyarrow]',
        createdAt: 'timestamp[ms, tz=UTC][pyarrow]',
        topics: expect.stringContaining('list<'),
      },
      ['acme/a', 'acme/b', 'globex/c'],
      19,
      [['pdf', 'ocr'], ['ocr'], []],
    ])
  })

  test('pyarrow reads one column in ranges over HTTP', async () => {
    const { url } = await published()

    const answer = await python(
      `import io, json, sys, urllib.request
import pyarrow.parquet as parquet
class Remote(io.RawIOBase):
    def __init__(self, url):
        head = urllib.request.urlopen(urllib.request.Request(url, method="HEAD"))
        self.url, self.size, self.at, self.statuses = url, int(head.headers["Content-Length"]), 0, []
    def readable(self): return True
    def seekable(self): return True
    def seek(self, offset, whence=0):
        self.at = offset + (0 if whence == 0 else self.at if whence == 1 else self.size)
        return self.at
    def readinto(self, into):
        if self.at >= self.size: return 0
        last = min(self.at + len(into), self.size) - 1
        asked = urllib.request.Request(self.url, headers={"Range": f"bytes={self.at}-{last}"})
        answer = urllib.request.urlopen(asked)
        self.statuses.append(answer.status)
        part = answer.read()
        into[: len(part)] = part
        self.at += len(part)
        return len(part)
remote = Remote(sys.argv[1])
table = parquet.read_table(remote, columns=["stars"])
print(json.dumps([table.column("stars").to_pylist(), sorted(set(remote.statuses))]))`,
      url('skills.parquet'),
    )

    expect(answer).toEqual([[12, null, 7], [206]])
  })
})

whenProgram('sqlite3', ['--version'], () => {
  test('sqlite3 joins skills and organizations by equal columns, in the database and from CSV', async () => {
    const { api, url } = await published()
    const folder = temporaryFolder()
    const imports: string[] = []
    for (const type of ['skills', 'organizations']) {
      const path = join(folder, `${type}.csv`)
      writeFileSync(path, (await api.get(`/api/v1/export?type=${type}&format=csv`)).text)
      imports.push(`.import --csv ${path} ${type}`)
    }
    const query =
      "SELECT login, count(*), CAST(sum(nullif(skills.stars, '')) AS INTEGER) FROM skills JOIN organizations ON organization = login GROUP BY login ORDER BY login"

    for (const args of [[await save(url('catalog.sqlite'))], [':memory:', ...imports]]) {
      const { status, stdout } = await runProgram('sqlite3', [...args, query])

      expect([status, stdout]).toEqual([0, joined.map((row) => `${row.join('|')}\n`).join('')])
    }
  })

  test('sqlite3 opens the database, and searches its texts', async () => {
    const { url } = await published()

    const { status, stdout } = await runProgram('sqlite3', [
      '-readonly',
      await save(url('catalog.sqlite')),
      "SELECT id, stars FROM skills_text('ocr') JOIN skills ON number = skills_text.rowid ORDER BY stars DESC LIMIT 1",
      "SELECT value FROM meta WHERE name = 'license'",
    ])

    expect([status, stdout]).toEqual([0, 'acme/a|12\nCC-BY-4.0\n'])
  })
})
