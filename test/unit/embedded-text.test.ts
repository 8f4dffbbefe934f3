import { describe, expect, test } from '@jest/globals'
import { toPublicSkill } from '../../shared/records/skill.js'
import { copyKey, embeddedHash, embeddedText, embeddedTexts } from '../../shared/text/skill-words.js'
import { aSkill } from '../support/factories.js'

const skill = (overrides: Parameters<typeof aSkill>[0]) => toPublicSkill(aSkill({ owner: 'acme', ...overrides }))

describe('the text whose meaning is compared', () => {
  test('has name, description and topics', () => {
    const full = skill({ name: 'PDF Reader', description: 'Reads PDFs', topics: ['pdf', 'ocr'] })
    expect(embeddedText(full)).toBe('PDF Reader. Reads PDFs. pdf, ocr')
  })

  test('leaves out what is missing', () => {
    expect(embeddedText(skill({ name: 'bare' }))).toBe('bare')
    expect(embeddedText(skill({ name: 'bare', topics: ['one'] }))).toBe('bare. one')
  })

  test('the beginning of its SKILL.md is another one', () => {
    const bare = skill({ name: 'bare' })
    const long = `Reads invoices. ${'x'.repeat(2_000)}`

    expect(embeddedTexts(bare, null)).toEqual(['bare'])
    expect(embeddedTexts(bare, ' \n')).toEqual(['bare'])
    expect(embeddedTexts(bare, '\nReads invoices.\n')).toEqual(['bare', 'Reads invoices.'])
    expect(embeddedTexts(bare, long)).toEqual(['bare', long.slice(0, 1_200)])
    // No half of a character, which embedders on servers refuse.
    expect(embeddedTexts(bare, `${'x'.repeat(1_199)}👩`)[1]).toBe('x'.repeat(1_199))
  })

  test('its hash changes with either, and with nothing else', () => {
    const before = skill({ repo: 'a', name: 'tool', description: 'Does things', stars: 1 })
    const after = { ...before, stars: 2, owner: 'beta', updatedAt: '2026-01-01T00:00:00.000Z' }
    const text = 'x'.repeat(1_200)
    expect(embeddedHash(after, null)).toBe(embeddedHash(before, null))
    expect(embeddedHash(before, `${text}a`)).toBe(embeddedHash(before, `${text}b`))
    const others = [
      embeddedHash({ ...before, topics: ['new'] }, null),
      embeddedHash(before, 'a'),
      embeddedHash(before, 'b'),
    ]
    expect(new Set([embeddedHash(before, null), ...others]).size).toBe(4)
    expect(embeddedHash(before, null)).toMatch(/^[0-9a-f]{32}$/)
  })
})

describe('copies of a skill', () => {
  const long = 'Extracts the tables of scanned invoices and writes CSV'

  test('share a key where a long description is the same, for any name, case and punctuation', () => {
    const key = copyKey(skill({ name: 'original', description: long }))
    expect(key).toMatch(/^[0-9a-f]{16}$/)
    expect(copyKey(skill({ name: 'fork', description: `${long.toUpperCase()}!`, topics: ['x'] }))).toBe(key)
    expect(copyKey(skill({ name: 'original', description: `${long} files` }))).not.toBe(key)
  })

  test('with 4 to 7 words need the same name as well', () => {
    const short = 'A skill for agents'
    const key = copyKey(skill({ name: 'one', description: short }))
    expect(key).not.toBeNull()
    expect(copyKey(skill({ name: 'One', description: short }))).toBe(key)
    expect(copyKey(skill({ name: 'two', description: short }))).not.toBe(key)
    // The name does not run into the description.
    expect(copyKey(skill({ name: 'one a', description: 'skill for agents now' }))).not.toBe(
      copyKey(skill({ name: 'one', description: 'a skill for agents now' })),
    )
  })

  test.each([null, '', 'My skill', 'three words only', '!!! ??? … —'])('have no key for “%s”', (description) => {
    expect(copyKey(skill({ name: 'same', description }))).toBeNull()
  })
})
