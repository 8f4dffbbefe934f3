import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { openEmbedded } from '../../shared/adapters/embedded/open-embedded.js'
import type { SearchQuery } from '../../shared/ports/search-index.js'
import { parseSearchText } from '../../shared/ranking/interpret-query.js'
import { type StoredSkill, skillOf } from '../../shared/records/skill.js'
import { aLock } from '../support/a-lock.js'
import { aQuery, aSkill, documentOf } from '../support/factories.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { silentLog } from '../support/test-log.js'
import { anyContent, anyLine } from './any-skill.js'

/** Opens an index with these skills, and their catalog. */
async function openWith(skills: StoredSkill[]) {
  const {
    catalog,
    replicas: [index],
    close,
  } = await openEmbedded(temporaryFolder(), { threads: false, log: silentLog() })
  await catalog.put('skills', skills)
  await index.apply({ publish: skills.map(documentOf), remove: [] }, 'live', aLock())
  const search = (text: string, query: Partial<SearchQuery> = {}) =>
    index.search(aQuery(text, { limit: 100, ...query }))
  return { catalog, index, search, close }
}

/** Words that are operators, columns and tables of FTS5, and others. */
const word = fc.constantFrom(
  ...['and', 'OR', 'not', 'NEAR', 'near', 'name', 'topics', 'tags', 'owner', 'rank', 'rowid', 'all', 'null', 'match'],
  ...['pdf', 'csv', 'tool', 'acme', '世界', '5', 'é'],
)

/** Separators of words: all punctuation of FTS5 and SQL, except quotes and exclusions. */
const separator = fc.constantFrom(
  ...[' ', '  ', ' : ', ' + ', ' * ', ' ^', ' ( ', ' ) ', ' {', '} : ', " ' ", ' ; ', ' = ', ' - ', '\n'],
  ...String.raw`: + * ^ ( ) { } , ' ; = \ / | & ~ ! % _ . [ ] ?`.split(' '),
  '`',
)

const text = fc.tuple(word, fc.array(fc.tuple(separator, word), { maxLength: 5 }))

test('punctuation between words changes neither the hits nor their order, except where it joins them', async () => {
  const { index, search, close } = await openWith([
    aSkill({ repo: 'and', name: 'pdf and csv', description: 'near the name, or not' }),
    aSkill({ repo: 'not-near', name: 'not near pdf', topics: ['csv', 'tags'] }),
    aSkill({ repo: 'tool', name: 'A tool', description: 'owner match: 世界 5 rank null', license: 'MIT' }),
    aSkill({ owner: 'name', repo: 'topics', name: 'rowid', description: 'all é' }),
    aSkill({ owner: 'pdf', repo: 'csv', name: 'or' }),
  ])
  try {
    await fc.assert(
      fc.asyncProperty(text, async ([first, others]) => {
        const written = others.reduce((before, [mark, next]) => `${before}${mark}${next}`, first)
        const plain = [first, ...others.map(([, next]) => next)].join(' ')
        expect(await index.suggest(written, 10)).toEqual(await index.suggest(plain, 10))

        // Such as a/b.
        fc.pre(parseSearchText(written).terms.length === parseSearchText(plain).terms.length)
        expect(await search(written, { facets: ['topics'] })).toEqual(await search(plain, { facets: ['topics'] }))
      }),
      { numRuns: 40 },
    )
  } finally {
    await close()
  }
})

/** A value of a skill, or something close to one. */
const near = (value: string): fc.Arbitrary<string> =>
  fc.oneof(
    fc.constant(value),
    fc.constant(value.toUpperCase()),
    fc.constant(value.split(/[\s\p{P}\p{S}\p{Cf}]/u)[0] || value),
    anyLine.map((line) => `${value} ${line}`),
    anyLine,
  )

const lower = (value: string | null): string | undefined => value?.toLowerCase()

test('a filter selects exactly the skills with its value, for any value, in searches and lists', async () => {
  const skills = fc.array(anyContent, { minLength: 1, maxLength: 10 })
  const asked = skills.chain((contents) => {
    const some = (values: (string | null | undefined)[]) => fc.constantFrom(...values.map((value) => value ?? 'none'))
    return fc.record({
      contents: fc.constant(contents),
      license: some(contents.map(({ license }) => license)).chain(near),
      language: some(contents.map(({ language }) => language)).chain(near),
      topic: some(contents.flatMap(({ topics = [] }) => topics).concat('none'))
        .chain(near)
        .map((topic) => topic.toLowerCase()),
    })
  })
  await fc.assert(
    fc.asyncProperty(asked, async ({ contents, license, language, topic }) => {
      const stored = contents.map((content, n) =>
        aSkill({ owner: 'acme', repo: `skill-${n}`, ...content, stars: 10 - n }),
      )
      const { catalog, search, close } = await openWith(stored)
      try {
        const cases = [
          { filters: { license }, fits: (skill: StoredSkill) => lower(skill.license) === lower(license) },
          { filters: { language }, fits: (skill: StoredSkill) => lower(skill.language) === lower(language) },
          { filters: { topics: [topic] }, fits: (skill: StoredSkill) => skill.topics.includes(topic) },
        ]
        for (const { filters, fits } of cases) {
          const expected = stored.filter(fits).map(({ id }) => id)
          const list = await catalog.listSkills({ filters, sort: 'stars', order: 'desc', limit: 100 })
          const { hits } = await search('skill', { filters, sort: 'stars' })

          expect([filters, list.skills.map((skill) => skillOf(skill).id)]).toEqual([filters, expected])
          expect([filters, hits.map((hit) => skillOf(hit).id)]).toEqual([filters, expected])
        }
      } finally {
        await close()
      }
    }),
    { numRuns: 12 },
  )
})
