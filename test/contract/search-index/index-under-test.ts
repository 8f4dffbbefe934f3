import type { Vector } from '../../../shared/ports/embedder.js'
import type { IndexReplica, SearchQuery } from '../../../shared/ports/search-index.js'
import { type StoredSkill, skillOf } from '../../../shared/records/skill.js'
import { aLock } from '../../support/a-lock.js'
import { aDocument, aQuery } from '../../support/factories.js'

/** The index of the running test, with short functions to fill and search it. */
export type IndexUnderTest = ReturnType<typeof indexUnderTest>

/**
 * Adds short functions to fill and search an index.
 *
 * @param index returns the index of the running test
 */
export function indexUnderTest(index: () => IndexReplica) {
  const apply = (changes: Parameters<IndexReplica['apply']>[0]) => index().apply(changes, 'live', aLock())
  const publish = (...skills: Partial<StoredSkill>[]) => apply({ publish: skills.map(aDocument), remove: [] })
  /** Publishes skills with their vectors; null: without. */
  const publishVectors = (...skills: [skill: Partial<StoredSkill>, vector: Vector | null][]) =>
    apply({ publish: skills.map(([skill, vector]) => ({ ...aDocument(skill), vector })), remove: [] })
  const search = (text: string, query: Partial<SearchQuery> = {}) => index().search(aQuery(text, query))
  const found = async (text: string, query: Partial<SearchQuery> = {}) =>
    (await search(text, query)).hits.map((hit) => skillOf(hit).repo)
  /** Those that have all words. */
  const foundWhole = async (text: string, query: Partial<SearchQuery> = {}) =>
    (await search(text, { ...query, explain: true })).hits
      .filter(({ explanation }) => explanation?.placement !== 'some words')
      .map((hit) => skillOf(hit).repo)
  const suggested = async (text: string) => (await index().suggest(text, 10)).map(({ id }) => id)

  return { index, apply, publish, publishVectors, search, found, foundWhole, suggested }
}
