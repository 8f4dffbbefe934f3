import type { Vector } from '../../../shared/ports/embedder.js'
import type { IndexTarget } from '../../../shared/ports/search-index.js'
import type { Skill } from '../../../shared/records/skill.js'
import { AppError } from '../../../shared/runtime/errors.js'
import { ofReplica, readUnembeddedSince, stateKeys } from '../../../shared/state-keys.js'
import { embeddedText } from '../../../shared/text/embedded-text.js'
import type { JobContext } from '../runner/job.js'

/**
 * The vectors of skills, by id.
 *
 * When the embedder does not answer, skills are put into the live index without vectors, so that their words are found;
 * the sequence after which they changed is kept, from which the job `embed-skills` embeds them and all later ones. An
 * index that is being built waits for its vectors, and takes none of a model that was changed under the same name.
 *
 * @throws AppError of the embedder, for an index that is being built, and where the run embeds only
 */
export async function embedSkills(
  context: JobContext,
  skills: Skill[],
  target: IndexTarget,
): Promise<Map<string, Vector>> {
  const { embedder, index, signal, catalog } = context
  if (embedder === null || skills.length === 0) {
    return new Map()
  }
  const known = embedder.kind === 'model' ? await index.knownVectors(skills) : new Map<string, Vector>()
  const dimensions = known.size > 0 && target === 'next' ? await embedder.dimensions() : null
  const vectors = new Map([...known].filter(([, { length }]) => dimensions === null || length === dimensions))
  const missing = skills.filter(({ id }) => !vectors.has(id))
  const mayLack = embedder.kind === 'model' && target === 'live' && context.mustEmbed !== true
  const unembeddedSince = mayLack ? await readUnembeddedSince(catalog, index) : null
  if (unembeddedSince !== null && missing.length > 0) {
    // Each batch would wait for the embedder again. The job that ends the outage embeds these as well.
    await keepUnembedded(context, unembeddedSince)
    return vectors
  }
  try {
    const made = missing.length === 0 ? [] : await embedder.embed(missing.map(embeddedText), 'document', signal)
    for (const [place, { id }] of missing.entries()) {
      const vector = made[place]
      if (vector !== undefined) {
        vectors.set(id, vector)
      }
    }
  } catch (error) {
    if (!(error instanceof AppError) || !mayLack) {
      throw error
    }
    context.log.warn(
      { err: error },
      'the embedder does not answer: new skills are found by their words only until it does',
    )
    await keepUnembedded(context, null)
  }
  return vectors
}

/** Keeps the sequence after which skills lack vectors, where it is the lowest. @param kept null: none is kept */
async function keepUnembedded(
  { catalog, index, lock, changedAfter = 0 }: JobContext,
  kept: number | null,
): Promise<void> {
  if (kept === null || changedAfter < kept) {
    await catalog.writeState(ofReplica(stateKeys.unembeddedSince, index), changedAfter, lock)
  }
}
