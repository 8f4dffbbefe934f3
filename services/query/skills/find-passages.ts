import { setTimeout as sleep } from 'node:timers/promises'
import type { SearchHit } from '../../../shared/ports/search-index.js'
import type { Passage } from '../../../shared/ports/skill-texts.js'
import { skillOf } from '../../../shared/records/skill.js'
import type { Backends } from '../observability/backends.js'

/** A page of hits does not wait longer for its passages: it is complete without them. */
const timeLimitMs = 1_000

/**
 * The passages of the texts in which words of a query were found, for each hit; null: no word is in its text alone, or the
 * catalog does not answer.
 */
export async function findPassages(
  catalog: Pick<Backends['catalog'], 'findPassages'>,
  hits: SearchHit[],
): Promise<(Passage | null)[]> {
  const queries = hits.map((hit) => {
    const { id, digest } = hit.textWords.length === 0 ? { id: '', digest: null } : skillOf(hit)
    return { id, digest, stems: hit.textWords }
  })
  const wanted = queries.filter(({ stems }) => stems.length > 0)
  if (wanted.length === 0) {
    return hits.map(() => null)
  }
  const found = new AbortController()
  const late = sleep(timeLimitMs, null, { signal: found.signal }).catch(() => null)
  const passages = await Promise.race([catalog.findPassages(wanted).catch(() => null), late])
  found.abort()
  return queries.map(({ id }) => passages?.get(id) ?? null)
}
