import type { Catalog } from '../../../shared/ports/catalog.js'
import type { Vector } from '../../../shared/ports/embedder.js'
import type { IndexTarget, SearchDocument } from '../../../shared/ports/search-index.js'
import { contentHash } from '../../../shared/records/content-hash.js'
import { type Skill, skillOf } from '../../../shared/records/skill.js'
import { AppError } from '../../../shared/runtime/errors.js'
import { ofReplica, readUnembeddedSince, stateKeys } from '../../../shared/state-keys.js'
import { embeddedText } from '../../../shared/text/skill-words.js'
import type { IndexContext } from '../runner/job.js'

/**
 * The vectors of skills, by id.
 *
 * When the embedder does not answer, skills are put into the live index without vectors, so that their words are found;
 * the sequence after which they changed is kept, from which the job `embed-skills` embeds them and all later ones. An
 * index that is being built waits for its vectors, and takes none of a model that was changed under the same name.
 *
 * @throws AppError of the embedder, for an index that is being built, and in a run that must embed (`mustEmbed`)
 */
async function vectorsFor(context: IndexContext, skills: Skill[], target: IndexTarget): Promise<Map<string, Vector>> {
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
  { catalog, index, lock, changedAfter = 0 }: IndexContext,
  kept: number | null,
): Promise<void> {
  if (kept === null || changedAfter < kept) {
    await catalog.writeState(ofReplica(stateKeys.unembeddedSince, index), changedAfter, lock)
  }
}

/** Changes of an index, counted. */
export interface AppliedCounts {
  published: number
  removed: number
  /** Skills that the index rejected. */
  rejected: number
}

/** Skills to be published, with their vectors, and ids to be removed. */
interface IndexChanges {
  publish: Skill[]
  vectors: ReadonlyMap<string, Vector>
  remove: string[]
}

/** A skill and what is searched of its SKILL.md; null: none is kept. */
export interface SkillWithText {
  skill: Skill
  text: string | null
}

/** The number of changes that a comparison reads or repairs at a time. */
export const changesPerBatch = 1_000

/** The number of ids, or of texts, that a catalog is asked for at a time. */
const idsPerRead = 1_000

/** Characters of texts after which a batch is handed to an index. */
const maxCharacters = 16 * 1_024 * 1_024

/** Skills with their texts, in batches of some 16 MB of texts; without texts all are one batch. */
export async function* withTexts(
  catalog: Pick<Catalog, 'readTexts'>,
  skills: Skill[],
): AsyncGenerator<SkillWithText[]> {
  let batch: SkillWithText[] = []
  let characters = 0
  for (let start = 0; start < skills.length; start += idsPerRead) {
    const read = skills.slice(start, start + idsPerRead)
    const texts = await catalog.readTexts(read)
    for (const skill of read) {
      const text = texts.get(skill.id) ?? null
      batch.push({ skill, text })
      characters += text?.length ?? 0
    }
    if (characters >= maxCharacters) {
      yield batch
      batch = []
      characters = 0
    }
  }
  if (batch.length > 0) {
    yield batch
  }
}

/**
 * Publishes skills in an index. Keeps dead letters of rejected skills, which it reports, and drops those of the others.
 *
 * @param context under the lock of the jobs that write to this index, as in the other functions
 */
export async function publishSkills(
  context: IndexContext,
  skills: SkillWithText[],
  target: IndexTarget,
): Promise<AppliedCounts> {
  const publish = skills.map(({ skill }) => skill)
  return applyDocuments(context, documentsOf(skills, await vectorsFor(context, publish, target)), [], target)
}

/** Updates an index to the published skills of the catalog with these ids. */
export async function applyIds(context: IndexContext, ids: string[], target: IndexTarget): Promise<AppliedCounts> {
  return applyChanges(context, await changesOf(context, ids, target), target)
}

/**
 * Updates an index from one position of the change log to its head. For each change the current skill is indexed, so
 * that repeating it is harmless. The next changes are read, and their skills embedded, while the index takes the ones
 * before.
 *
 * @param context under the lock of the jobs that write to this index
 * @param from the sequence up to which the index holds all changes
 * @param keep called with each position once the index has confirmed all changes up to it: a run that ends in between
 * repeats work and never skips any
 */
export async function replayLog(
  context: IndexContext,
  from: number,
  target: IndexTarget,
  keep: (position: number) => Promise<void>,
): Promise<AppliedCounts> {
  const counts: AppliedCounts = { published: 0, removed: 0, rejected: 0 }
  const { changes: log, index, signal, progress } = context
  let applying: Promise<void> = Promise.resolve()
  try {
    for (let position = from; ; ) {
      const { changes, head } = await log.after(position, index.documentsPerApply)
      const isLast = changes.length < index.documentsPerApply
      const next = isLast ? head : (changes.at(-1)?.sequence ?? head)
      const ids = changes.map(({ id }) => id)
      const made = ids.length === 0 ? null : await changesOf({ ...context, changedAfter: position }, ids, target)
      await applying
      signal.throwIfAborted()
      const apply = async () => {
        if (made !== null) {
          addCounts(counts, await applyChanges(context, made, target))
          progress.add(changes.length)
        }
        await keep(next)
      }
      if (next !== position) {
        position = next
        applying = apply()
        // Awaited in its turn; until then a rejection must not count as unhandled.
        applying.catch(() => undefined)
      }
      if (isLast) {
        await applying
        return counts
      }
    }
  } finally {
    await Promise.allSettled([applying])
  }
}

/** What updates an index to the published skills of the catalog with these ids. */
async function changesOf(context: IndexContext, ids: string[], target: IndexTarget): Promise<IndexChanges> {
  const publish: Skill[] = []
  for (let start = 0; start < ids.length; start += idsPerRead) {
    for (const found of await context.catalog.findSkills(ids.slice(start, start + idsPerRead))) {
      if (found.state === 'published') {
        publish.push(skillOf(found))
      }
    }
  }
  const published = new Set(publish.map(({ id }) => id))
  return {
    publish,
    vectors: await vectorsFor(context, publish, target),
    remove: ids.filter((id) => !published.has(id)),
  }
}

/** Publishes and removes skills in an index, as `publishSkills` does; reads their texts in batches. */
async function applyChanges(
  context: IndexContext,
  { publish, vectors, remove }: IndexChanges,
  target: IndexTarget,
): Promise<AppliedCounts> {
  const counts: AppliedCounts = { published: 0, removed: 0, rejected: 0 }
  if (remove.length > 0) {
    addCounts(counts, await applyDocuments(context, [], remove, target))
  }
  for await (const batch of withTexts(context.catalog, publish)) {
    addCounts(counts, await applyDocuments(context, documentsOf(batch, vectors), [], target))
  }
  return counts
}

function addCounts(counts: AppliedCounts, { published, removed, rejected }: AppliedCounts): void {
  counts.published += published
  counts.removed += removed
  counts.rejected += rejected
}

const documentsOf = (skills: SkillWithText[], vectors: IndexChanges['vectors']): SearchDocument[] =>
  skills.map(({ skill, text }) => ({
    id: skill.id,
    contentHash: contentHash(skill),
    skill,
    vector: vectors.get(skill.id) ?? null,
    text,
  }))

async function applyDocuments(
  { index, catalog, lock, clock, report }: IndexContext,
  publish: SearchDocument[],
  remove: string[],
  target: IndexTarget,
): Promise<AppliedCounts> {
  const { rejected } = await index.apply({ publish, remove }, target, lock)
  const refused = new Set(rejected.map(({ id }) => id))
  const applied = [...publish.map(({ id }) => id), ...remove].filter((id) => !refused.has(id))
  await catalog.dropDeadLetters(applied, 'index', lock)
  const since = clock().toISOString()
  await catalog.keepDeadLetters(
    rejected.map((letter) => ({ ...letter, since, source: 'index' })),
    lock,
  )
  for (const { id, reason } of rejected) {
    report({ kind: 'rejected', id, reason })
  }
  return { published: publish.length - refused.size, removed: remove.length, rejected: refused.size }
}
