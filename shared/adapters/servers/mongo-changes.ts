import type { Collection, Document, Filter } from 'mongodb'
import type { FieldNames } from '../../document-settings.js'
import type { SkillChanges } from '../../ports/catalog-store.js'
import { documentToStored, ownMember } from './mongo-document.js'
import type { OwnMember } from './mongo-own-member.js'
import {
  advance,
  beginning,
  markOf,
  overlapMs,
  readWatermark,
  type ToldChange,
  type Watermark,
  writeWatermark,
} from './mongo-watermark.js'

const changedAt = `${ownMember}.changedAt`
const id = `${ownMember}.id`

/** A document that has changed. */
interface Change extends ToldChange {
  document: Document
}

/**
 * What changed behind a watermark; see the port.
 *
 * @param now the database's clock, epoch milliseconds
 * @param onRead is shown the documents as they are read
 */
export async function changesAfter(
  skills: Collection,
  text: string | null,
  limit: number,
  now: number,
  names: FieldNames,
): Promise<SkillChanges & { documents: Document[] }> {
  const watermark = presentOf(readWatermark(text), now)
  const found = await readChanges(skills, watermark, limit + 1)
  const changes = found.slice(0, limit)
  const more = found.length > limit
  const told = changes.map((change) => ({
    id: change.id,
    stored: documentToStored('skills', change.document, names) as unknown,
  }))
  return {
    changes: [...told, ...(await leftBehind(skills, changes))],
    watermark: writeWatermark(advance(watermark, changes, now, more)),
    more,
    documents: changes.map(({ document }) => document),
  }
}

/** The watermark of this moment; what was written just before it is remembered as told. */
export async function presentWatermark(skills: Collection, now: number): Promise<string> {
  const from = { ...beginning, settledBefore: Math.max(0, now - overlapMs) }
  const recent = await skills
    .find({ [changedAt]: { $gte: new Date(from.settledBefore) } }, { projection: { [ownMember]: 1 } })
    .toArray()
  return writeWatermark(advance(from, recent.map(toChange), now, false))
}

/**
 * The watermark, or the beginning where it lies in the future: the database's clock has been set back since, and what
 * was written from then on was noted with earlier times.
 */
const presentOf = (watermark: Watermark, now: number): Watermark =>
  watermark.settledBefore > now || (watermark.within?.at ?? 0) > now + overlapMs ? beginning : watermark

async function readChanges(skills: Collection, watermark: Watermark, limit: number): Promise<Change[]> {
  const { settledBefore, told, within } = watermark
  const behind: Filter<Document> =
    within === null
      ? { [changedAt]: { $gte: new Date(settledBefore) } }
      : {
          $or: [
            { [changedAt]: { $gt: new Date(within.at) } },
            { [changedAt]: new Date(within.at), [id]: { $gt: within.id } },
          ],
        }
  const changes: Change[] = []
  const cursor = skills.find(behind, { sort: { [changedAt]: 1, [id]: 1 }, batchSize: limit })
  for await (const document of cursor) {
    const change = toChange(document)
    if (told[change.id]?.mark !== change.mark) {
      changes.push(change)
    }
    if (changes.length === limit) {
      break
    }
  }
  return changes
}

function toChange(document: Document): Change {
  const own: OwnMember & { changedAt: Date } = document[ownMember]
  return { id: own.id, at: own.changedAt.getTime(), mark: markOf(own.changedAt, own.hash), document }
}

/**
 * Ids that these documents had before, by what we remember or by what they say themselves, and nobody has now: what is
 * known under them is gone.
 */
async function leftBehind(skills: Collection, changes: Change[]): Promise<{ id: string; stored: unknown }[]> {
  const left = new Set(
    changes.flatMap(({ document }) => {
      const own: OwnMember = document[ownMember]
      return [...own.left, ...own.formerIds]
    }),
  )
  if (left.size === 0) {
    return []
  }
  for await (const document of skills.find({ [id]: { $in: [...left] } }, { projection: { [ownMember]: 1 } })) {
    left.delete(document[ownMember].id)
  }
  return [...left].map((each) => ({ id: each, stored: null }))
}
