import { hash } from 'node:crypto'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { SqliteDatabase } from '../../shared/adapters/embedded/sqlite/database.js'
import { migrate } from '../../shared/adapters/embedded/sqlite/migrations.js'
import { documentsWithSkills } from '../../shared/adapters/embedded/sqlite/search/index-reads.js'
import { SqliteSearchIndex } from '../../shared/adapters/embedded/sqlite/search/search-index.js'
import { VectorCodes } from '../../shared/adapters/embedded/sqlite/search/vector-codes.js'
import { toBytes } from '../../shared/adapters/embedded/sqlite/search/vector-writes.js'
import { unitVector } from '../../shared/embedding/built-in-embedder.js'
import type { Vector } from '../../shared/ports/embedder.js'
import { skillOf } from '../../shared/records/skill.js'
import { searchSettings } from '../../shared/search-settings.js'
import { aLock } from '../support/a-lock.js'
import { aDocument, aQuery } from '../support/factories.js'
import { storingRecords } from '../support/stored-records.js'
import { temporaryFolder } from '../support/temporary-folder.js'

const model = 'test/1'
let db: SqliteDatabase
let folder: string
let own: SqliteSearchIndex
let index: SqliteSearchIndex
beforeEach(() => {
  folder = temporaryFolder()
  db = new SqliteDatabase(join(folder, 'catalog.db'))
  migrate(db)
  own = new SqliteSearchIndex(db, { model })
  index = storingRecords(folder, own)
})
afterEach(async () => {
  await own.close()
  db.close()
})

/** The live index's file, with the catalog. */
const openFile = () => {
  const file = String(db.get(`SELECT file FROM search_indexes WHERE role = 'live'`)?.['file'])
  return new SqliteDatabase(join(folder, file), { catalog: db.path })
}

/** Numbers that look random, from a seed. */
function* numbers(seed: number): Generator<number, never> {
  for (let state = seed * 2_654_435_761 + 1; ; ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0
    yield (state >>> 0) / 2 ** 32
  }
}

/** A vector of unit length near to one that all share, so that most are near enough to be found. */
const aVector = (random: Generator<number, never>, dimensions: number): Vector =>
  unitVector(
    Array.from({ length: dimensions }, (_, at) => 2 * random.next().value - 1 + (at % 2 === 0 ? 0.4 : -0.4)),
  ) ?? new Float32Array(dimensions)

const cosine = (a: ArrayLike<number>, b: ArrayLike<number>): number => {
  let [dot, squaresA, squaresB] = [0, 0, 0]
  for (let at = 0; at < a.length; at += 1) {
    const [x, y] = [Number(a[at]), Number(b[at])]
    dot += x * y
    squaresA += x * x
    squaresB += y * y
  }
  return dot / Math.sqrt(squaresA * squaresB)
}

const write = (publish: Map<string, Vector | null>, remove: string[] = [], into: 'live' | 'next' = 'live') => {
  const documents = [...publish].map(([repo, vector]) => ({
    ...aDocument({ repo, description: hash('md5', String(vector)) }),
    vector,
  }))
  return index.apply({ publish: documents, remove: remove.map((repo) => `acme/${repo}`) }, into, aLock())
}

/** The repositories that are nearest to a vector, as the index finds them. */
async function found(vector: Vector): Promise<string[]> {
  const hits: string[] = []
  for (let offset = 0; offset < 1_000; offset += 100) {
    const meaning = { vector, alone: true } as const
    const page = await index.search(aQuery('zzzzzz', { meaning, limit: 100, offset }))
    hits.push(...page.hits.map((hit) => skillOf(hit).repo))
  }
  return hits
}

/** The same, compared one by one. */
const expected = (vector: Vector, kept: Map<string, Vector | null>): string[] =>
  [...kept]
    .flatMap(([repo, other]) => (other === null ? [] : [{ repo, similarity: cosine(vector, toBytes(other)) }]))
    .filter(({ similarity }) => similarity >= searchSettings.minSimilarity)
    .sort((a, b) => b.similarity - a.similarity)
    .map(({ repo }) => repo)

describe('the nearest vectors', () => {
  // A batch publishes and removes some of 300 skills; every third one has no vector.
  const batch = fc.record({
    publish: fc.uniqueArray(fc.nat(299), { maxLength: 200 }),
    remove: fc.uniqueArray(fc.nat(299), { maxLength: 150 }),
  })

  test.each([40, 256, 384])(
    'are exact after any writes (%i dimensions)',
    async (dimensions) => {
      const batches = fc.array(batch, { minLength: 1, maxLength: 6 })
      await fc.assert(
        fc.asyncProperty(batches, fc.nat(1_000), async (given, seed) => {
          await index.createNext()
          await index.swap()
          const random = numbers(seed)
          const kept = new Map<string, Vector | null>()
          for (const { publish, remove } of given) {
            const published = new Map(
              publish.map((n): [string, Vector | null] => [`s${n}`, n % 3 === 0 ? null : aVector(random, dimensions)]),
            )
            const removed = remove.map((n) => `s${n}`).filter((repo) => !published.has(repo))
            await write(published, removed)
            for (const repo of removed) {
              kept.delete(repo)
            }
            for (const [repo, vector] of published) {
              kept.set(repo, vector)
            }
            const vector = aVector(random, dimensions)
            expect(await found(vector)).toEqual(expected(vector, kept))
          }
        }),
        { numRuns: 12 },
      )
    },
    120_000,
  )

  test('by their codes are those with the fewest other bits among the wanted', async () => {
    const random = numbers(7)
    const dimensions = 256
    const kept = new Map(Array.from({ length: 700 }, (_, n) => [`s${n}`, aVector(random, dimensions)]))
    await write(kept)
    const removed = [...kept.keys()].filter((_, n) => n % 4 === 0)
    await write(new Map(), removed)
    for (const repo of removed) {
      kept.delete(repo)
    }
    const file = openFile()
    const ranks = new Map(
      file
        .all<{ rank: number; id: string }>(`SELECT rank, s.id AS id FROM ${documentsWithSkills}`)
        .map(({ rank, id }) => [id.slice('acme/'.length), rank]),
    )
    const codes = new VectorCodes()
    codes.update(file, dimensions)

    for (const [count, share] of [
      [1, 1],
      [50, 1],
      [200, 3],
      [10_000, 1],
    ] as const) {
      const vector = aVector(random, dimensions)
      const wanted = [...kept.keys()].filter((_, n) => n % share === 0)
      const distances = wanted
        .map((repo) => {
          const other = kept.get(repo) ?? []
          return {
            rank: ranks.get(repo),
            distance: vector.filter((value, at) => value > 0 !== Number(other[at]) > 0).length,
          }
        })
        .sort((a, b) => a.distance - b.distance)
      const result = codes.nearest(
        vector,
        count,
        share === 1 ? null : new Set(wanted.map((repo) => ranks.get(repo) ?? 0)),
      )

      const byRank = new Map(distances.map(({ rank, distance }) => [rank, distance]))
      expect(result.map((rank) => byRank.get(rank))).toEqual(distances.slice(0, count).map(({ distance }) => distance))
      expect(new Set(result).size).toBe(result.length)
    }
  })

  test('are found though many nearer ones were removed', async () => {
    const random = numbers(3)
    const target = aVector(random, 64)
    await write(new Map(Array.from({ length: 1_500 }, (_, n) => [`near${n}`, target])))
    const others = new Map(Array.from({ length: 20 }, (_, n) => [`other${n}`, aVector(random, 64)]))
    await write(others)
    await write(
      new Map(),
      Array.from({ length: 1_500 }, (_, n) => `near${n}`),
    )

    expect(await found(target)).toEqual(expected(target, others))
  })
})

describe('codes in memory', () => {
  test('are read again when their tables were built again meanwhile, twice too', async () => {
    const random = numbers(11)
    const one = aVector(random, 64)
    await write(new Map([['first', one]]))
    expect(await found(one)).toEqual(['first'])

    for (const repo of ['second', 'third']) {
      await index.createNext()
      await write(new Map([[repo, one]]), [], 'next')
      await index.swap()
    }

    expect(await found(one)).toEqual(['third'])
  })

  test('a vector of other dimensions does not count, and those of the index go on', async () => {
    const random = numbers(5)
    const one = aVector(random, 300)
    await write(new Map([['kept', one]]))
    const ask = (vector: Vector) => index.search(aQuery('kept', { meaning: { vector, alone: false } }))

    expect(await ask(one)).toMatchObject({ byMeaning: true, hits: [{ score: 0.99 }] })
    expect(await ask(aVector(random, 384))).toMatchObject({ byMeaning: false, hits: [{ score: 0.99 }] })
    expect(await ask(one)).toMatchObject({ byMeaning: true })
  })

  test('vectors of other dimensions are refused, and leave the batch before as it was', async () => {
    const random = numbers(5)
    const one = aVector(random, 300)
    await write(new Map([['kept', one]]))

    await expect(write(new Map([['other', aVector(random, 384)]]), ['kept'])).rejects.toMatchObject({
      code: 'embedder_changed',
      message: expect.stringMatching(/vectors of 384 dimensions.* of 300: .* EMBEDDER_MODEL .*catalog -- rebuild/),
    })
    expect(await found(one)).toEqual(['kept'])
  })

  test('a vector of zeros is kept, and near to nothing', async () => {
    await write(
      new Map([
        ['empty', new Float32Array(64)],
        ['one', aVector(numbers(1), 64)],
      ]),
    )

    expect(await index.related('acme/empty', 10)).toEqual([])
    expect(await index.related('acme/one', 10)).toEqual([])
    const [skill] = (await index.search(aQuery('empty'))).hits.map(skillOf)
    const known = await index.knownVectors(skill === undefined ? [] : [{ skill, text: null }])
    expect([...(known.get('acme/empty') ?? [])]).toEqual(Array(64).fill(0))
  })
})

test('the list of copies equals a recount after any writes', async () => {
  const names = ['one', 'two']
  const descriptions = [null, 'Too short', 'A skill for agents', 'Reads the tables of scanned invoices and writes CSV']
  const skill = fc.record({
    repo: fc.nat(11),
    name: fc.constantFrom(...names),
    description: fc.constantFrom(...descriptions),
  })
  const batch = fc.record({
    publish: fc.uniqueArray(skill, { maxLength: 8, selector: ({ repo }) => repo }),
    remove: fc.uniqueArray(fc.nat(11), { maxLength: 6 }),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(batch, { minLength: 1, maxLength: 8 }), async (batches) => {
      await index.createNext()
      await index.swap()
      for (const { publish, remove } of batches) {
        await index.apply(
          {
            publish: publish.map(({ repo, ...rest }) => aDocument({ repo: `s${repo}`, ...rest })),
            remove: remove
              .map((repo) => `acme/s${repo}`)
              .filter((id) => !publish.some(({ repo }) => id === `acme/s${repo}`)),
          },
          'live',
          aLock(),
        )
        const file = openFile()
        expect(file.all('SELECT rank, copy_key FROM copies ORDER BY rank')).toEqual(
          file.all(
            `SELECT rank, copy_key FROM documents WHERE copy_key IN (
               SELECT copy_key FROM documents GROUP BY copy_key HAVING count(*) > 1
             ) ORDER BY rank`,
          ),
        )
        file.close()
      }
    }),
    { numRuns: 30 },
  )
})
