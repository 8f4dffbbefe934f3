import { describe, expect, test } from '@jest/globals'
import { toPublicSkill } from '../../shared/records/skill.js'
import { copyKey, embeddedText, embeddedTextHash } from '../../shared/text/skill-words.js'
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

  test('its hash changes with the text, and with nothing else', () => {
    const before = skill({ repo: 'a', name: 'tool', description: 'Does things', stars: 1 })
    expect(embeddedTextHash({ ...before, stars: 2, owner: 'beta', updatedAt: '2026-01-01T00:00:00.000Z' })).toBe(
      embeddedTextHash(before),
    )
    expect(embeddedTextHash({ ...before, topics: ['new'] })).not.toBe(embeddedTextHash(before))
    expect(embeddedTextHash(before)).toMatch(/^[0-9a-f]{32}$/)
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
