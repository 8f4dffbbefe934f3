import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import {
  BuiltInEmbedder,
  builtInDimensions,
  foldForTable,
  Pieces,
  unitVector,
  wordsOf,
} from '../../shared/embedding/built-in-embedder.js'
import type { TextPurpose, Vector } from '../../shared/ports/embedder.js'
import { projectRoot } from '../../shared/runtime/project-root.js'

const embedder = new BuiltInEmbedder()

const table = join(projectRoot(), 'shared', 'embedding', 'table')
const rows = new Int8Array(Uint8Array.from(readFileSync(join(table, 'vectors.i8'))).buffer)
const pieces = new Pieces(readFileSync(join(table, 'pieces.tsv'), 'utf8').trimEnd().split('\n'))

async function embed(text: string, purpose: TextPurpose = 'document'): Promise<Vector> {
  const [vector = new Float32Array()] = await embedder.embed([text], purpose)
  return vector
}

const dot = (a: Vector, b: Vector): number => a.reduce((sum, value, at) => sum + value * Number(b[at]), 0)
const lengthOf = (vector: Vector): number => Math.sqrt(dot(vector, vector))

describe('the built-in embedder', () => {
  test('is a table of 256 dimensions, whose name says which', async () => {
    expect(embedder).toMatchObject({ kind: 'table', model: expect.stringMatching(/\/\d+$/) })
    expect(await embedder.dimensions()).toBe(builtInDimensions)
    expect(await embedder.embed([], 'document')).toEqual([])
  })

  test.each(['', '   ', '\u0000\u0007', '\u{e000}', '🦀🦀', '\ud800', '\u0301\u0301'])(
    'a text of nothing that it knows (%j) has a finite vector, and as a query one of zeros',
    async (text) => {
      expect((await embed(text)).every(Number.isFinite)).toBe(true)
      expect((await embed(text, 'query')).every((value) => value === 0)).toBe(true)
    },
  )

  test.each(['xkqzvw', 'qwrtzp brrzk', 'x1', 'tabblle', 'é', '図'])(
    '“%s” says nothing as a query, as a document its parts do',
    async (text) => {
      expect(lengthOf(await embed(text, 'query'))).toBe(0)
      expect(lengthOf(await embed(text, 'document'))).toBeCloseTo(1, 4)
    },
  )

  test('a text has the same vector at any time and in any company', async () => {
    const alone = await embed('extract tables from pdf', 'query')
    const [first, , third] = await new BuiltInEmbedder().embed(
      ['extract tables from pdf', 'other', 'extract tables from pdf'],
      'document',
    )

    expect(await embed('extract tables from pdf', 'query')).toEqual(alone)
    expect([first, third]).toEqual([alone, alone])
    expect(await embed('Extract   TABLES from\npdf')).toEqual(alone)
  })

  test.each([
    'PDF',
    'Reads tables (of scanned, hand-written invoices) & writes "C++" or naïve_names: https://a.example/b?c=d#e',
    '日本語の文書を要約する，再生。',
    'zzz'.repeat(30),
    'the '.repeat(200),
  ])('the vector of text %# is the sum of the rows of its tokens', async (text) => {
    const ids = [...wordsOf(text)].flatMap((word) => pieces.cut(word).map(({ id }) => id))
    const sum = Array.from({ length: builtInDimensions }, (_, dimension) =>
      ids.reduce((total, id) => total + (rows[id * builtInDimensions + dimension] ?? Number.NaN), 0),
    )

    expect(ids.length).toBeLessThanOrEqual(200)
    expect(await embed(text)).toEqual(unitVector(sum))
  })

  test.each([
    ['zh', '用 Playwright 测试本地网页', 0],
    ['zh-hant', '怎麼規劃一週的晚餐', 1],
    ['ja', 'ペットの犬をしつけたい', 2],
    ['ko', '데이터베이스 쿼리가 너무 느려요', 3],
    ['es', '¿cómo escribo una carta de presentación para un trabajo?', 4],
    ['pt', 'traduzir as legendas de um vídeo', 5],
    ['fr', 'trouver des vols pas chers', 6],
    ['de', 'Rechnungen aus E-Mails auslesen und buchen', 7],
    ['ru', 'найти дешевые билеты на самолет', 6],
    ['it', 'tradurre i sottotitoli di un video', 5],
    ['pl', 'znajdź dziury w zabezpieczeniach kodu', 10],
  ])('a question in %s finds what is described in English, and the reverse', async (_language, question, wanted) => {
    const described = [
      'Browser tests. Opens a web page in a browser and checks that it works',
      'Meal planner. Plans dinners and recipes for the week',
      'Puppy school. Trains dogs step by step',
      'Slow queries. Finds out why a database is slow and adds the index that is missing',
      'Cover letters. Writes the letter for a job application',
      'Subtitles. Translates what is said in videos',
      'Flight finder. Compares the prices of airline tickets',
      'Bookkeeper. Reads invoices and enters them into the accounts',
      'Garden calendar. Which vegetables to plant when',
      'Weather. The forecast for the next days',
      'Security review. Scans source code for vulnerabilities',
    ]
    const documents = await Promise.all(described.map((text) => embed(text)))
    const asked = await embed(question, 'query')
    const cosines = documents.map((vector) => dot(asked, vector))

    expect(described[cosines.indexOf(Math.max(...cosines))]).toBe(described[wanted])

    const others = await Promise.all(
      ['周末去爬山', 'сыграть в шахматы', 'colorier un dessin', question].map((text) => embed(text)),
    )
    const english = await embed(described[wanted] ?? '', 'query')
    const reverse = others.map((vector) => dot(english, vector))
    expect(reverse.indexOf(Math.max(...reverse))).toBe(3)
  })

  test('the first 200 tokens count', async () => {
    const long = 'invoice '.repeat(200)
    expect(await embed(`${long}spaceship`)).toEqual(await embed(long))
    expect(await embed(`spaceship ${long}`)).not.toEqual(await embed(long))
  })
})

describe('pieces of words', () => {
  const pieces = new Pieces([
    '▁\t-4',
    '▁table\t-9',
    '▁ta\t-5',
    'ble\t-6',
    's\t-5',
    '表\t-9',
    '表格\t-10',
    '格\t-9',
    '▁cafe\t-9',
  ])
  const cut = (word: string) => pieces.cut(word).map(({ piece }) => piece)

  describe('the pieces of a word', () => {
    test('are the likeliest ones', () => {
      expect(cut('table')).toEqual(['▁table'])
      expect(cut('tables')).toEqual(['▁table', 's'])
      expect(cut('表格')).toEqual(['▁', '表格'])
      expect(pieces.cut('Tables')).toEqual([
        { piece: '▁table', id: 1 },
        { piece: 's', id: 4 },
      ])
    })

    test('letters that are no piece are left out', () => {
      expect(cut('taxble')).toEqual(['▁ta', 'ble'])
      expect(cut('zzz')).toEqual(['▁'])
      expect(cut('')).toEqual(['▁'])
    })

    test('the first 1,000 letters count', () => {
      expect(cut('s'.repeat(5_000))).toHaveLength(1_001)
      expect(cut('\ufdfa'.repeat(5_000)).length).toBeLessThanOrEqual(1_001)
    })

    test('accents of Latin letters do not count, those of others do', () => {
      expect(cut('Café')).toEqual(['▁cafe'])
      expect(cut('Cafe\u0301')).toEqual(['▁cafe'])
      expect(foldForTable('ÀÉÎÕÜ Ångström İstanbul')).toBe('aeiou angstrom istanbul')
      expect(foldForTable('й ё が 한국어 ﬁ Ａ')).toBe('й ё が 한국어 fi a')
    })
  })

  test('words are runs of letters and digits', () => {
    expect([...wordsOf('C++ (naïve_names), v1.2: 日本語の文書。再生 — ¿qué?')]).toEqual(
      'C naïve names v1 2 日本語の文書 再生 qué'.split(' '),
    )
    expect([...wordsOf('🦀 … \ud800')]).toEqual([])
  })
})
