import { describe, expect, test } from '@jest/globals'
import { areNear, type Sketch, sketchIn, sketchOf, sketchText } from '../../shared/ranking/copies.js'
import { aLongText } from '../support/factories.js'

const wordsOf = (text: string): string[] => text.toLowerCase().split(/\W+/)
const sketch = (text: string, name = '', description: string | null = null): Sketch => {
  const made = sketchOf({ name, description }, wordsOf(text))
  if (made === null) {
    throw new Error('The text is too short to compare.')
  }
  return made
}

describe('near copies', () => {
  const text = aLongText('guide')

  test('are texts with a few other words, in any place', () => {
    const others = [text, `Further. ${text}`, `${text} Further.`, text.replace(/(?<=^.{700}\w+ )\w+/s, 'further')]
    expect(others.map((other) => areNear(sketch(text), sketch(other)))).toEqual(others.map(() => true))
    expect(others.map((other) => areNear(sketch(other), sketch(text)))).toEqual(others.map(() => true))
  })

  test('are no texts of which half is the same', () => {
    const halves = [0, 1, 2, 3, 4, 5, 6, 7].map(
      (n) => text.slice(0, text.length / 2) + aLongText(`${n}`).slice(0, text.length / 2),
    )
    expect(halves.map((half) => areNear(sketch(text), sketch(half)))).toEqual(halves.map(() => false))
  })

  test('have about the same description, too', () => {
    const described = (subject: string) => sketch(text.slice(0, 600), '', aLongText(subject).slice(0, 250))
    expect(areNear(described('a'), described('a'))).toBe(true)
    expect(areNear(described('a'), described('b'))).toBe(false)
  })

  test('a short text has no sketch, however long it is', () => {
    const skill = { name: 'x', description: null }
    expect(sketchOf(skill, wordsOf(text).slice(0, 50))).toBeNull()
    expect(sketchOf(skill, Array(10_000).fill('again'))).toBeNull()
    expect(sketchOf(skill, [])).toBeNull()
  })

  test('a sketch is read from its text, and nothing else is one', () => {
    expect(sketchIn(sketchText(sketch(text)))).toEqual(sketch(text))
    expect([null, undefined, '', 'AAAA', 5].map(sketchIn)).toEqual([null, null, null, null, null])
  })
})
