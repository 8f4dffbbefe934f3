import { describe, expect, test } from '@jest/globals'
import { findPassage } from '../../shared/ranking/passage.js'

/** The passage with its words in brackets; null: there is none. */
function passage(text: string, ...stems: string[]): string | null {
  const found = findPassage(text, stems)
  return found === null
    ? null
    : found.matches.reduceRight(
        (marked, { start, length }) =>
          `${marked.slice(0, start)}[${marked.slice(start, start + length)}]${marked.slice(start + length)}`,
        found.text,
      )
}

const filler = 'Nothing of note is said here at all. '

describe('a passage', () => {
  test.each([
    ['no word', 'Reads tables.', ['zebra'], null],
    ['no words are asked for', 'Reads tables.', [], null],
    ['inflected words', 'It reads scanned tables.', ['tabl', 'scan'], 'It reads [scanned] [tables].'],
    ['a beginning that is another word', 'Tablet and stable.', ['tabl'], null],
    ['case and accents', 'Écrit en FRANÇAIS.', ['francai'], 'Écrit en [FRANÇAIS].'],
    ['symbols', 'Write C++ and .NET.', ['cplusplus', 'dotnet'], 'Write [C++] and [.NET].'],
    ['characters of scripts without spaces', '把表格转换为CSV。', ['表格'], '把[表格]转换为CSV。'],
    ['Cyrillic', 'Читает таблицы.', ['таблиц'], 'Читает [таблицы].'],
    ['parts of a name', 'Call read_table_rows now.', ['tabl'], 'Call read_[table]_rows now.'],
  ])('finds %s', (_, text, stems, expected) => {
    expect(passage(text, ...stems)).toBe(expected)
  })

  test.each([
    ['headings and lists', '# Zebra ##\n\n- one\n* two\n1. three', '[Zebra] one two three'],
    ['quotes and tasks', '> zebra\n- [x] done', '[zebra] done'],
    [
      'emphasis and code',
      'A **zebra** in `__init__` _of_ ~~it~~ snake_case_name',
      'A [zebra] in __init__ of it snake_case_name',
    ],
    [
      'links and images',
      'See [the zebra](https://a.example/x_(y) "t"), ![its foal](b.png) [and][1].',
      'See the [zebra], its foal and.',
    ],
    ['tables', '| Name | Zebra |\n|---|:--:|\n| a | b |', 'Name · [Zebra] a · b'],
    ['rules and fences', '---\nzebra\n```sh\nrun | it # now\n```\n', '[zebra] run | it # now'],
    ['HTML', '<p align="center">zebra<br/><!-- none --></p> &amp; `<name>`', '[zebra] & <name>'],
    ['wrapped lines', 'a zebra\nruns\r\nfast', 'a [zebra] runs fast'],
  ])('has no marks of %s', (_, text, expected) => {
    expect(passage(text, 'zebra')).toBe(expected)
  })

  test('begins and ends with sentences, where they are not too long', () => {
    const text = `${filler.repeat(20)}The zebra runs. ${filler.repeat(20)}`
    expect(passage(text, 'zebra')).toMatch(/^The \[zebra\] runs\. Nothing of note .* at all\.$/)
    const found = passage(`${'word '.repeat(200)}zebra ${'word '.repeat(200)}`, 'zebra') ?? ''
    expect(found).toMatch(/^…word .*\[zebra\] .*word…$/)
    expect(found.length).toBeLessThanOrEqual(206)
  })

  test('is where most of the words are, and the rarer ones', () => {
    const text = `Zebra. ${filler.repeat(20)}A zebra eats grass. ${filler.repeat(20)}A zebra sees a quagga. Grass, grass.`
    expect(passage(text, 'zebra', 'grass')).toContain('A [zebra] eats [grass].')
    expect(passage(text, 'zebra', 'quagga', 'none')).toContain('[zebra] sees a [quagga].')
  })

  test('has no half of a character, of an address, or of a link', () => {
    for (let shift = 0; shift < 4; shift += 1) {
      const found = passage(`${'x'.repeat(shift)}${'🙂'.repeat(900)}zebra${'🙂'.repeat(900)}`, 'zebra')
      expect(found).toContain('[zebra]')
      expect(found).not.toMatch(/\p{Surrogate}/u)
    }
    expect(passage(`Ask someone@private.example, a zebra\u{e0041}.`, 'zebra')).toBe('Ask (address removed), a [zebra].')
    const links = '[one link](https://a.example/of/some/length) '.repeat(100)
    expect(passage(`${links}zebra ${links}`, 'zebra')).not.toContain('](')
  })

  test('takes no time that grows faster than the text, of marks without end', () => {
    for (const mark of ['[', '![](', '*a', '<a ', '|', '`', '<!--', '_ ', '#', '> ']) {
      expect(passage(`${mark.repeat(4_000)} zebra ${mark.repeat(4_000)}`, 'zebra')).not.toBe('')
    }
  })
})
