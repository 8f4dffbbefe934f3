import { describe, expect, test } from '@jest/globals'
import type { SkillContent } from '../../../shared/ports/skill-texts.js'
import type { StoredSkill } from '../../../shared/records/skill.js'
import { digestOf } from '../../../shared/text/skill-text.js'
import { aSkill } from '../../support/factories.js'
import { keepContents } from '../../support/keep-contents.js'
import type { CatalogUnderTest } from './catalog-under-test.js'

const text = '# Lift\n\nRead — “carefully” 日本 🙂.\r\n'

/** A skill, and its content with this text. */
function withText(overrides: Partial<StoredSkill>, written = text): { skill: StoredSkill; content: SkillContent } {
  const digest = digestOf(written)
  const skill = aSkill({ owner: 'a', digest, ...overrides })
  const own = { path: 'SKILL.md', size: Buffer.byteLength(written), digest }
  const files = [own, { path: 'scripts/lift.py', size: null, digest: null }]
  return { skill, content: { id: skill.id, digest, text: written, files: { files, total: 700 } } }
}

/** The contract of every SkillTexts. */
export function skillTexts({ catalog }: CatalogUnderTest): void {
  const keep = async (...given: ReturnType<typeof withText>[]) => {
    await catalog().put(
      'skills',
      given.map(({ skill }) => skill),
    )
    await keepContents(
      catalog(),
      given.map(({ content }) => content),
    )
  }
  const textOf = async (skill: StoredSkill) => (await catalog().readText(skill))?.text ?? null

  describe('texts of skills', () => {
    test('are kept byte by byte, with their files, and replaced', async () => {
      const one = withText({ repo: 'kit', skill: 'one' })
      const two = withText({ repo: 'kit', skill: 'two' })
      await keep(one, two)

      expect(await catalog().readText(one.skill)).toEqual({ text, digest: digestOf(text) })
      expect(await catalog().readFiles(two.skill)).toEqual(two.content.files)

      const cleaned = { ...one.content, text: 'cleaned' }
      await keepContents(catalog(), [cleaned, two.content])
      expect(await catalog().readText(one.skill)).toEqual({ text: 'cleaned', digest: digestOf('cleaned') })
      expect(await textOf(two.skill)).toBe(text)
      expect(await catalog().readText(aSkill({ owner: 'a', repo: 'other', digest: digestOf(text) }))).toBeNull()
    })

    test('are those of the digest: a changed skill loses its text, and another text is not kept for it', async () => {
      const one = withText({ repo: 'one' })
      const two = withText({ repo: 'two' })
      await keep(one, two)
      const changed = { ...one.skill, digest: digestOf('newer') }
      await catalog().put('skills', [changed, { ...two.skill, description: 'Only this changed.' }])
      await keepContents(catalog(), [one.content])

      expect(await catalog().readText(changed)).toBeNull()
      expect(await catalog().readFiles(changed)).toBeNull()
      expect(await textOf(two.skill)).toBe(text)

      await catalog().put('skills', [one.skill])
      expect(await textOf(one.skill)).toBeNull()

      const without = [
        { ...one.skill, digest: null },
        { ...two.skill, digest: null },
      ]
      expect(await catalog().put('skills', without, { holdChanges: true })).not.toHaveProperty('droppedTexts')
      expect(await catalog().put('skills', without)).toMatchObject({ changed: 2, droppedTexts: 1 })
      expect(await textOf(two.skill)).toBeNull()
    })

    test('are read whole, many at a time: those that are short, or have no other files, and the digest of each', async () => {
      const alone = (overrides: Partial<StoredSkill>, written: string) => {
        const { skill, content } = withText(overrides, written)
        return { skill, content: { ...content, files: { files: content.files.files.slice(0, 1), total: 1 } } }
      }
      const short = alone({ repo: 'short' }, 'short')
      const same = withText({ repo: 'same' }, 'short')
      const long = alone({ repo: 'long' }, 'é'.repeat(11))
      const cleaned = withText({ repo: 'cleaned' }, 'a@b.example')
      const [earlier, none] = [withText({ repo: 'earlier' }, 'earlier'), withText({ repo: 'none' })]
      await keep(short, same, long, { ...cleaned, content: { ...cleaned.content, text: '…' } }, earlier)
      await catalog().put('skills', [none.skill, { ...earlier.skill, digest: digestOf('newer') }])

      const asked = [short, same, long, cleaned, earlier, none].map(({ skill }) => skill)
      expect(await catalog().readWholeTexts(asked, { maxBytes: 21, soleOnly: false })).toEqual(
        new Map([
          [short.skill.id, { digest: digestOf('short'), text: 'short', isSole: true }],
          [same.skill.id, { digest: digestOf('short'), text: 'short', isSole: false }],
          [long.skill.id, { digest: digestOf('é'.repeat(11)), text: null, isSole: true }],
          [cleaned.skill.id, { digest: digestOf('…'), text: '…', isSole: false }],
        ]),
      )
      const sole = await catalog().readWholeTexts(asked, { maxBytes: 22, soleOnly: true })
      expect([...sole].map(([id, { text: read }]) => [id, read]).sort()).toEqual(
        [
          [short.skill.id, 'short'],
          [same.skill.id, null],
          [long.skill.id, long.content.text],
          [cleaned.skill.id, null],
        ].sort(),
      )
      expect(await catalog().readWholeTexts([], { maxBytes: 21, soleOnly: false })).toEqual(new Map())
    })

    test('are read for the index: many at a time, without front matter, and the beginning of a long one', async () => {
      const matter = '---\nname: one\n---\n'
      const one = withText({ repo: 'one' }, `${matter}# One\n\nLift\u{e0041}.\n`)
      const same = withText({ repo: 'same' }, one.content.text)
      const long = withText({ repo: 'long' }, `${matter}${'a'.repeat(16_383)}🙂 end`)
      const none = withText({ repo: 'none' })
      const earlier = withText({ repo: 'earlier' })
      await keep(one, same, long, earlier)
      await catalog().put('skills', [none.skill, { ...earlier.skill, digest: digestOf('newer') }])

      const asked = [one, same, long, none, earlier].map(({ skill }) => skill)
      expect(await catalog().readTexts([...asked, aSkill({ repo: 'unknown', digest: digestOf(text) })])).toEqual(
        new Map([
          [one.skill.id, '# One\n\nLift.\n'],
          [same.skill.id, '# One\n\nLift.\n'],
          [long.skill.id, 'a'.repeat(16_383)],
        ]),
      )
      expect(await catalog().readTexts([])).toEqual(new Map())
    })

    test('have passages with words of a query, each skill its own, within what is searched', async () => {
      const one = withText({ repo: 'one' }, '---\nname: quagga\n---\n# Animals\n\nThe **zebras** run.')
      const two = withText({ repo: 'two' }, `${'Nothing. '.repeat(3_000)}The zebra is too far.`)
      const none = withText({ repo: 'none' })
      await keep(one, two)
      await catalog().put('skills', [none.skill])
      const find = async (...asked: [StoredSkill, ...string[]][]) =>
        catalog().findPassages(asked.map(([{ id, digest }, ...stems]) => ({ id, digest, stems })))

      expect(await find([one.skill, 'zebra', 'quagga'], [two.skill, 'zebra'], [none.skill, 'zebra'])).toEqual(
        new Map([[one.skill.id, { text: 'Animals The zebras run.', matches: [{ start: 12, length: 6 }] }]]),
      )
      expect((await find([one.skill, 'anim'], [two.skill, 'noth'])).size).toBe(2)
      expect([await find(), await find([one.skill, 'quagga']), await find([one.skill])]).toEqual(
        Array(3).fill(new Map()),
      )
    })

    test('go with a removed skill, while others with the same text keep it; a hidden one has it when it is back', async () => {
      const [one, two, three] = [withText({ repo: 'one' }), withText({ repo: 'two' }), withText({ repo: 'three' })]
      await keep(one, two, three)
      await catalog().remove('skills', [one.skill.id])
      await catalog().put('skills', [{ ...three.skill, state: 'removed', removedAt: '2026-01-01T00:00:00.000Z' }])
      await catalog().put('skills', [one.skill, three.skill])

      expect([await textOf(one.skill), await textOf(two.skill), await textOf(three.skill)]).toEqual([null, text, null])

      const states = (state: 'hidden' | 'published') => [{ id: two.skill.id, state, removedAt: null }]
      await catalog().setStates('skills', states('hidden'))
      await catalog().setStates('skills', states('published'))
      expect(await textOf(two.skill)).toBe(text)

      await catalog().remove('skills', [two.skill.id])
      await keep(two)
      expect(await textOf(two.skill)).toBe(text)
    })

    test('of unknown and removed skills are not kept, and those of the largest size are', async () => {
      const large = withText({ repo: 'large' }, 'é'.repeat(131_072))
      const unknown = withText({ repo: 'unknown' })
      const removed = withText({ repo: 'removed', state: 'removed', removedAt: '2026-01-01T00:00:00.000Z' })
      await catalog().put('skills', [removed.skill, large.skill])
      await keepContents(catalog(), [unknown.content, removed.content, large.content])
      await catalog().put('skills', [unknown.skill, { ...removed.skill, state: 'published', removedAt: null }])

      expect([await textOf(unknown.skill), await textOf(removed.skill)]).toEqual([null, null])
      expect(await textOf(large.skill)).toBe(large.content.text)
    })
  })
}
