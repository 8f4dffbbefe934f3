import { describe, expect, test } from '@jest/globals'
import { foldLetters, Pieces, wordsOf } from '../../shared/embedding/built-in-embedder.js'

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
    expect(foldLetters('ÀÉÎÕÜ Ångström İstanbul')).toBe('aeiou angstrom istanbul')
    expect(foldLetters('й ё が 한국어 ﬁ Ａ')).toBe('й ё が 한국어 fi a')
  })
})

test('words are runs of letters and digits', () => {
  expect([...wordsOf('C++ (naïve_names), v1.2: 日本語の文書。再生 — ¿qué?')]).toEqual(
    'C naïve names v1 2 日本語の文書 再生 qué'.split(' '),
  )
  expect([...wordsOf('🦀 … \ud800')]).toEqual([])
})
