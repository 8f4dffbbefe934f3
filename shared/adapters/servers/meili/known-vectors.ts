import type { Index } from 'meilisearch'
import type { Vector } from '../../../ports/embedder.js'
import type { Skill } from '../../../records/skill.js'
import { embeddedTextHash } from '../../../text/embedded-text.js'
import type { MeiliDocument } from './documents.js'
import { isOneOf } from './query.js'
import type { Retries } from './retries.js'
import { readVector } from './vectors.js'

/** Documents of one response: each vector takes some kilobytes. */
const maxDocuments = 1_000

/** The vectors of these skills in an index, by id: those of the skills' present texts. */
export async function readKnownVectors(
  index: Index<MeiliDocument>,
  retries: Retries,
  skills: Skill[],
  embedder: string,
): Promise<Map<string, Vector>> {
  const known = new Map<string, Vector>()
  for (let start = 0; start < skills.length; start += maxDocuments) {
    const batch = skills.slice(start, start + maxDocuments)
    const { results } = await retries.persist(() =>
      index.getDocuments({
        // The ids, not their keys: a document that Meilisearch has refused may have a key that it refuses here, too.
        filter: isOneOf(
          'id',
          batch.map(({ id }) => id),
        ),
        fields: ['id', 'textHash', '_vectors'],
        retrieveVectors: true,
        limit: batch.length,
      }),
    )
    const stored = new Map(results.map((document) => [document.id, document]))
    for (const skill of batch) {
      const document = stored.get(skill.id)
      const vector = document?.textHash === embeddedTextHash(skill) ? readVector(document._vectors, embedder) : null
      if (vector !== null) {
        known.set(skill.id, vector)
      }
    }
  }
  return known
}
