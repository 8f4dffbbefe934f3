import { createHash } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { generateOrganizations, generatePrompts } from '../../services/indexer/seed/generate-records.js'
import { generateSkills } from '../../services/indexer/seed/generate-skills.js'
import { vocabulary } from '../../services/indexer/seed/words.js'
import { storedSchemas } from '../../shared/records/schemas.js'
import { repositoryId } from '../../shared/records/skill.js'

const digest = (records: Iterable<unknown>): string =>
  createHash('sha256')
    .update(JSON.stringify([...records]))
    .digest('hex')

const skills = [...generateSkills(20_000, 1)]

test('the same count and seed make the same records, another seed makes others', () => {
  expect(digest(generateSkills(2_000, 1))).toBe(digest(generateSkills(2_000, 1)))
  expect(digest(generatePrompts(50, 1))).toBe(digest(generatePrompts(50, 1)))
  expect(digest(generateOrganizations(50, 1))).toBe(digest(generateOrganizations(50, 1)))
  expect(digest(generateSkills(2_000, 2))).not.toBe(digest(generateSkills(2_000, 1)))
})

test('the catalog accepts every record', () => {
  for (const skill of generateSkills(5_000, 3)) {
    expect(storedSchemas.skills.safeParse(skill).error).toBeUndefined()
  }
  for (const prompt of generatePrompts(300, 3)) {
    expect(storedSchemas.prompts.safeParse(prompt).error).toBeUndefined()
  }
  for (const organization of generateOrganizations(300, 3)) {
    expect(storedSchemas.organizations.safeParse(organization).error).toBeUndefined()
  }
})

test('all ids differ, and every organization owns a skill', () => {
  const owners = new Set(skills.map(({ owner }) => owner.toLowerCase()))

  expect(new Set(skills.map(({ id }) => id)).size).toBe(20_000)
  expect(new Set([...generatePrompts(400, 1)].map(({ id }) => id)).size).toBe(400)
  expect([...generateOrganizations(200, 1)].filter(({ login }) => !owners.has(login))).toEqual([])
})

test('few words, owners and stars make up most of the whole', () => {
  const stars = skills.map((skill) => skill.stars ?? 0).sort((a, b) => b - a)
  const total = stars.reduce((sum, count) => sum + count, 0)
  const words = new Map<string, number>()
  for (const word of skills.flatMap(({ description }) => description?.toLowerCase().match(/[a-z]+/g) ?? [])) {
    words.set(word, (words.get(word) ?? 0) + 1)
  }
  const counts = [...words.values()].sort((a, b) => b - a)

  expect(vocabulary.length).toBeGreaterThan(1_500)
  expect(stars.slice(0, 200).reduce((sum, count) => sum + count, 0)).toBeGreaterThan(total / 2)
  expect(counts.slice(0, 100).reduce((sum, count) => sum + count, 0)).toBeGreaterThan(
    counts.reduce((sum, count) => sum + count, 0) / 3,
  )
  // The long tail: words that occur once or twice.
  expect(counts.filter((count) => count <= 2).length).toBeGreaterThan(counts.length / 3)
})

test('a few per cent are written in other languages', () => {
  const share = (pattern: RegExp) =>
    skills.filter(({ description }) => pattern.test(description ?? '')).length / skills.length

  expect(share(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Hangul}]/u)).toBeGreaterThan(0.01)
  expect(share(/[à-ÿąęłżćśñ]/i)).toBeGreaterThan(0.005)
})

test('half of them lie with others in repositories of up to 300, under names that repeat', () => {
  const byRepository = new Map<string, typeof skills>()
  for (const skill of skills.filter((each) => each.skill !== null)) {
    byRepository.set(repositoryId(skill.id), [...(byRepository.get(repositoryId(skill.id)) ?? []), skill])
  }
  const repositories = [...byRepository.values()]
  const sizes = repositories.map((each) => each.length).sort((a, b) => b - a)
  const named = repositories.flat()
  const owns = skills.filter((skill) => skill.skill === null)

  expect(named.length / skills.length).toBeCloseTo(0.5, 1)
  expect(sizes[0]).toBeGreaterThan(100)
  expect(sizes.filter((size) => size < 2 || size > 300)).toEqual([])
  expect(sizes.filter((size) => size <= 5).length).toBeGreaterThan(sizes.length / 2)
  expect(new Set(named.map((each) => each.skill)).size).toBeLessThan(named.length / 2)
  expect(owns.filter(({ id }) => byRepository.has(id))).toEqual([])
  for (const [first, ...others] of repositories) {
    const common = { stars: first?.stars, license: first?.license, url: first?.url, commit: first?.commit }
    expect(others).toEqual(others.map(() => expect.objectContaining(common)))
  }
  expect(named.every(({ path, skill, digest }) => path?.split('/').at(-1) === skill && digest !== null)).toBe(true)
  expect(new Set(owns.map(({ path }) => path))).toEqual(new Set([null, '']))
})
