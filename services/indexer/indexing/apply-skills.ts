import { unitVector } from '../../../shared/embedding/built-in-embedder.js'
import type { Catalog } from '../../../shared/ports/catalog.js'
import type { Embedder, Vector } from '../../../shared/ports/embedder.js'
import type { IndexTarget, SearchDocument, SkillWithText } from '../../../shared/ports/search-index.js'
import { contentHash } from '../../../shared/records/content-hash.js'
import { type Skill, skillOf } from '../../../shared/records/skill.js'
import { AppError } from '../../../shared/runtime/errors.js'
import { searchSettings } from '../../../shared/search-settings.js'
import { ofReplica, readUnembeddedSince, stateKeys } from '../../../shared/state-keys.js'
import { embeddedTexts } from '../../../shared/text/skill-words.js'
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
async function vectorsFor(
  context: IndexContext,
  skills: SkillWithText[],
  target: IndexTarget,
): Promise<Map<string, Vector>> {
  const { embedder, index, signal, catalog } = context
  if (embedder === null || skills.length === 0) {
    return new Map()
  }
  const known = embedder.kind === 'model' ? await index.knownVectors(skills) : new Map<string, Vector>()
  const dimensions = known.size > 0 && target === 'next' ? await embedder.dimensions() : null
  const vectors = new Map([...known].filter(([, { length }]) => dimensions === null || length === dimensions))
  const missing = skills.filter(({ skill }) => !vectors.has(skill.id))
  const mayLack = embedder.kind === 'model' && target === 'live' && context.mustEmbed !== true
  const unembeddedSince = mayLack ? await readUnembeddedSince(catalog, index) : null
  if (unembeddedSince !== null && missing.length > 0) {
    // Each batch would wait for the embedder again. The job that ends the outage embeds these as well.
    await keepUnembedded(context, unembeddedSince)
    return vectors
  }
  try {
    const made = await embedSkills(embedder, missing, signal)
    for (const [place, { skill }] of missing.entries()) {
      const vector = made[place] ?? null
      if (vector !== null) {
        vectors.set(skill.id, vector)
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

/** The vectors of skills: that of its fields, and with less weight that of its text, where one is kept. */
async function embedSkills(
  embedder: Embedder,
  skills: SkillWithText[],
  signal: AbortSignal,
): Promise<(Vector | null)[]> {
  const texts = skills.map(({ skill, text }) => embeddedTexts(skill, text))
  const made = skills.length === 0 ? [] : await embedder.embed(texts.flat(), 'document', signal)
  let place = 0
  return texts.map(({ length }) => {
    const [fields, text] = made.slice(place, place + length)
    place += length
    return fields === undefined || text === undefined
      ? (fields ?? null)
      : unitVector(fields.map((value, at) => value + searchSettings.textInMeaning * (text[at] ?? 0)))
  })
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

/** Documents to be published, and ids to be removed. */
interface IndexChanges {
  publish: SearchDocument[]
  remove: string[]
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
  return applyChanges(context, { publish: await documentsFor(context, skills, target), remove: [] }, target)
}

/** Updates an index to the published skills of the catalog with these ids. */
export async function applyIds(context: IndexContext, ids: string[], target: IndexTarget): Promise<AppliedCounts> {
  const counts: AppliedCounts = { published: 0, removed: 0, rejected: 0 }
  for await (const changes of changesOf(context, ids, target)) {
    addCounts(counts, await applyChanges(context, changes, target))
  }
  return counts
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
  const begin = (work: () => Promise<void>) => {
    applying = work()
    // Awaited in its turn; until then a rejection must not count as unhandled.
    applying.catch(() => undefined)
  }
  try {
    for (let position = from; ; ) {
      const { changes, head } = await log.after(position, index.documentsPerApply)
      const isLast = changes.length < index.documentsPerApply
      const next = isLast ? head : (changes.at(-1)?.sequence ?? head)
      const ids = changes.map(({ id }) => id)
      for await (const made of changesOf({ ...context, changedAfter: position }, ids, target)) {
        await applying
        signal.throwIfAborted()
        begin(async () => addCounts(counts, await applyChanges(context, made, target)))
      }
      if (next !== position) {
        position = next
        const applied = applying
        begin(async () => {
          await applied
          progress.add(changes.length)
          await keep(next)
        })
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

/** What updates an index to the published skills of the catalog with these ids, in batches. */
async function* changesOf(context: IndexContext, ids: string[], target: IndexTarget): AsyncGenerator<IndexChanges> {
  const publish: Skill[] = []
  for (let start = 0; start < ids.length; start += idsPerRead) {
    for (const found of await context.catalog.findSkills(ids.slice(start, start + idsPerRead))) {
      if (found.state === 'published') {
        publish.push(skillOf(found))
      }
    }
  }
  const published = new Set(publish.map(({ id }) => id))
  const remove = ids.filter((id) => !published.has(id))
  if (remove.length > 0) {
    yield { publish: [], remove }
  }
  for await (const skills of withTexts(context.catalog, publish)) {
    yield { publish: await documentsFor(context, skills, target), remove: [] }
  }
}

function addCounts(counts: AppliedCounts, { published, removed, rejected }: AppliedCounts): void {
  counts.published += published
  counts.removed += removed
  counts.rejected += rejected
}

async function documentsFor(
  context: IndexContext,
  skills: SkillWithText[],
  target: IndexTarget,
): Promise<SearchDocument[]> {
  const vectors = await vectorsFor(context, skills, target)
  return skills.map(({ skill, text }) => ({
    id: skill.id,
    contentHash: contentHash(skill),
    skill,
    vector: vectors.get(skill.id) ?? null,
    text,
  }))
}

async function applyChanges(
  { index, catalog, lock, clock, report }: IndexContext,
  { publish, remove }: IndexChanges,
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
