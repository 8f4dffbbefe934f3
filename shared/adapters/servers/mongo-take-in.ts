import type { AnyBulkWriteOperation, Collection, Document, Filter } from 'mongodb'
import type { DocumentSettings } from '../../document-settings.js'
import type { RecordType } from '../../records/records.js'
import { mayHoldAddress } from '../../text/find-addresses.js'
import { writeUnordered } from './mongo-bulk-write.js'
import { ownMember } from './mongo-document.js'
import { deriveOwnMember, duplicateMark, hashOf, type OwnMember } from './mongo-own-member.js'
import { unchangedSince } from './mongo-unchanged.js'
import { offsetOf, writtenBetween, writtenBetweenAt } from './mongo-written-times.js'

/** How many documents are read and written at a time. */
const batchSize = 500

/** A writer's clock may be this far from the database's, and its write may take this long. */
const slackMs = 10 * 60_000

/** A time of writing may be told in whole seconds: two writes so close to each other need not differ in it. */
const coarseMs = 5_000

/** More are not in use on Earth. */
const maxOffsets = 40

/** How often every document is asked whether its changed-field has moved, whatever time it says. */
const sweepEveryMs = 5 * 60_000

/**
 * An update that sets the catalog metadata of a document, and other fields with it, and has the database note the time
 * by its own clock.
 */
export function stampUpdate(own: OwnMember, fields: Document = {}): Document {
  const { seen, changedAt: _before, ...members } = own
  const named = { ...members, ...(seen === undefined ? {} : { seen }) }
  return {
    $set: {
      ...fields,
      ...Object.fromEntries(Object.entries(named).map(([name, value]) => [`${ownMember}.${name}`, value])),
    },
    ...(seen === undefined ? { $unset: { [`${ownMember}.seen`]: '' } } : {}),
    $currentDate: { [`${ownMember}.changedAt`]: true },
  }
}

/**
 * Takes in what others have written into a collection: gives their documents our member, and with it a place in lists
 * and in the history of changes.
 *
 * A document that is new or was replaced whole has no such member. One that was updated in place shows it by its
 * changed-field, which differs from the one that was seen. The next run finds it where its time is near the present and
 * in a form that an index finds (see `writtenBetween`), else the next sweep does. One that was changed without that
 * field is ingested when it is read next, see `takeInChanged`.
 */
export class TakeIn {
  readonly #collection: Collection
  readonly #type: RecordType
  readonly #settings: DocumentSettings
  #lookedAt = 0
  #sweptAt = 0
  /** Offsets from UTC in which writers note their times: the first of each kind is found by a sweep. */
  readonly #offsetsMs = new Set<number>()

  constructor(collection: Collection, type: RecordType, settings: DocumentSettings) {
    this.#collection = collection
    this.#type = type
    this.#settings = settings
  }

  /** @param now the database's clock, epoch milliseconds */
  async run(now: number): Promise<void> {
    await this.#takeInAll({ [`${ownMember}.changedAt`]: null })
    // Noted by a clock that was set back since: until it has caught up they would seem to be new at every look.
    await this.#forAll({ [`${ownMember}.changedAt`]: { $gt: new Date(now + slackMs) } }, (batch) =>
      this.#stampAll(batch),
    )
    const field = this.#settings.changedField
    const moved = { $expr: { $ne: [`$${field}`, `$${ownMember}.seen`] } }
    // A clock that was set back must not put off the next sweep.
    if (now - this.#sweptAt >= sweepEveryMs || now < this.#sweptAt) {
      await this.#takeInAll(moved)
      this.#sweptAt = now
    } else {
      await this.#takeInAll({
        $or: [
          ...this.#writtenBetween(this.#lookedAt - slackMs, now + slackMs).map((recent) => ({ ...recent, ...moved })),
          ...writtenBetween(field, this.#lookedAt - coarseMs, now + coarseMs),
        ],
      })
    }
    this.#lookedAt = now
  }

  /** Takes in those of these documents, just read, that are not what was taken in. */
  async takeInChanged(documents: Document[]): Promise<void> {
    const changed = documents.filter((document) => {
      const own: OwnMember | undefined = document[ownMember]
      return (
        own?.changedAt === undefined || own.hash !== hashOf(document, this.#settings) || this.#holdsAddresses(document)
      )
    })
    await this.#stampAll(changed)
  }

  /** Derives the metadata of these documents again, just read, whether or not they have changed. */
  async stampAgain(documents: Document[]): Promise<void> {
    await this.#stampAll(documents)
  }

  /** Takes in anew those of these documents whose id another one had: that one may be gone by now. */
  async takeInDuplicates(documents: Document[]): Promise<void> {
    await this.#stampAll(documents.filter((document) => String(document[ownMember]?.id).includes(duplicateMark)))
  }

  #writtenBetween(fromMs: number, toMs: number): Filter<Document>[] {
    const field = this.#settings.changedField
    const withOffsets = [...this.#offsetsMs].flatMap((offset) => writtenBetweenAt(field, offset, fromMs, toMs))
    return [...writtenBetween(field, fromMs, toMs), ...withOffsets]
  }

  /** Whether an earlier version, which kept e-mail addresses, has noted by what this skill is found. */
  #holdsAddresses(document: Document): boolean {
    const noted = JSON.stringify(document[ownMember]?.skill ?? null)
    return (
      mayHoldAddress(noted) && noted !== JSON.stringify(deriveOwnMember(this.#type, document, this.#settings).skill)
    )
  }

  #takeInAll(filter: Filter<Document>): Promise<void> {
    return this.#forAll(filter, (batch) => this.takeInChanged(batch))
  }

  async #forAll(filter: Filter<Document>, work: (batch: Document[]) => Promise<void>): Promise<void> {
    let batch: Document[] = []
    for await (const document of this.#collection.find(filter, { batchSize })) {
      batch.push(document)
      if (batch.length === batchSize) {
        await work(batch)
        batch = []
      }
    }
    await work(batch)
  }

  async #stampAll(documents: Document[]): Promise<void> {
    if (documents.length === 0) {
      return
    }
    for (const document of documents) {
      const offsetMs = offsetOf(document[this.#settings.changedField])
      if (offsetMs !== null && this.#offsetsMs.size < maxOffsets) {
        this.#offsetsMs.add(offsetMs)
      }
    }
    const own = (document: Document) => deriveOwnMember(this.#type, document, this.#settings)
    const refused = await writeUnordered(
      this.#collection,
      documents.map((document) => this.#stamp(document, own(document))),
    )
    const duplicates = documents.filter((_, position) => refused.includes(position))
    for (const document of duplicates) {
      await writeUnordered(this.#collection, [this.#stamp(document, this.#asDuplicate(document))])
    }
  }

  /** A document that has been changed since it was read is left to the next look, which reads it as it is by then. */
  #stamp(document: Document, own: OwnMember): AnyBulkWriteOperation<Document> {
    return {
      updateOne: { filter: unchangedSince(document, this.#type, this.#settings), update: stampUpdate(own) },
    }
  }

  /** The one that was there first keeps the id; the other is told as rejected, under an id that names both. */
  #asDuplicate(document: Document): OwnMember {
    const own = deriveOwnMember(this.#type, document, this.#settings)
    return {
      ...own,
      id: `${own.id}${duplicateMark}${document['_id']}`,
      state: 'rejected',
      skill: null,
      formerIds: [],
      left: [],
    }
  }
}
