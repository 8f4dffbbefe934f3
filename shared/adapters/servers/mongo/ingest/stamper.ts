import type { AnyBulkWriteOperation, Collection, Document, Filter } from 'mongodb'
import type { DocumentSettings } from '../../../../records/document-settings.js'
import type { RecordType } from '../../../../records/records.js'
import { inText } from '../../../../text/in-text.js'
import { writeUnordered } from '../bulk-write.js'
import { type CatalogMetadata, findMetadata, isWhole } from '../catalog/catalog-metadata.js'
import { asDuplicate, asRejected, deriveMetadata, hashOf, isDuplicate } from '../catalog/derive-metadata.js'
import { metadataField } from '../catalog/document.js'
import { readBatches } from '../catalog/read-documents.js'
import { unchangedSince } from '../catalog/unchanged.js'

/** The number of documents that are read and written at a time. */
const batchSize = 500

/** A filter for documents without metadata: new and replaced ones. */
export const unstamped: Filter<Document> = { [`${metadataField}.state`]: null }

/** An update that sets the metadata of a document, and other fields with it. */
export const stampUpdate = (metadata: CatalogMetadata, fields: Document = {}): Document => ({
  $set: { ...fields, [metadataField]: metadata },
})

/** Documents with new metadata, and as they were read. */
interface Derived {
  documents: Document[]
  before: Document[]
}

/** A document that cannot be stamped. */
export interface RefusedDocument {
  _id: unknown
  /** The id of its record. */
  id: string
  reason: string
}

/**
 * Sets the catalog metadata of documents that other applications have written, so that lists contain them. A document
 * that has changed since it was read is left to the next attempt, so that any number of processes may stamp the same
 * documents.
 */
export class Stamper {
  readonly #collection: Collection
  readonly #type: RecordType
  readonly #settings: DocumentSettings
  readonly #onRefused: (refused: RefusedDocument) => void

  /** @param onRefused called for each document that the database does not accept with metadata: it stays as it is */
  constructor(
    collection: Collection,
    type: RecordType,
    settings: DocumentSettings,
    onRefused: (refused: RefusedDocument) => void = () => undefined,
  ) {
    this.#collection = collection
    this.#type = type
    this.#settings = settings
    this.#onRefused = onRefused
  }

  /**
   * Stamps the documents without metadata.
   *
   * @param now the database's time, also in the other methods
   */
  async stampNew(now: Date): Promise<void> {
    await this.stampFound(unstamped, now)
  }

  /** Stamps the documents of this filter that have changed since they were stamped. @throws the signal's reason */
  async stampFound(filter: Filter<Document>, now: Date, signal?: AbortSignal): Promise<void> {
    let writing: Promise<void> = Promise.resolve()
    try {
      // The next documents are read, and their metadata derived, while the ones before are written.
      for await (const batch of readBatches(this.#collection, filter, batchSize, { batchSize })) {
        signal?.throwIfAborted()
        const derived = this.#derive(this.#changed(batch), now)
        await writing
        writing = this.#write(derived)
        // Awaited in its turn; until then a rejection must not count as unhandled.
        writing.catch(() => undefined)
      }
      await writing
    } finally {
      await Promise.allSettled([writing])
    }
  }

  /** Stamps duplicates and documents that have changed since they were stamped. @param documents just read */
  async stampChanged(documents: Document[], now: Date): Promise<void> {
    await this.stamp(this.#changed(documents), now)
  }

  /** Stamps these documents, just read, and sets their new metadata in the passed objects. */
  async stamp(documents: Document[], now: Date): Promise<void> {
    await this.#write(this.#derive(documents, now))
  }

  #changed(documents: Document[]): Document[] {
    return documents.filter((document) => this.#isChanged(document) || isDuplicate(document))
  }

  /** Sets the new metadata of documents. A document that cannot be read must not stop the others. */
  #derive(documents: Document[], now: Date): Derived {
    const before = documents.map((document) => ({ ...document }))
    for (const document of documents) {
      try {
        document[metadataField] = deriveMetadata(this.#type, document, this.#settings, now)
      } catch (error) {
        const reason = `it cannot be read: ${error instanceof Error ? error.message : inText(error)}`
        document[metadataField] = asRejected(this.#type, document, reason, now)
      }
    }
    return { documents, before }
  }

  async #write(derived: Derived): Promise<void> {
    const { documents, before } = this.#withIdentity(derived)
    const { duplicates, refused } = await writeUnordered(
      this.#collection,
      documents.map((document, place) => this.#writeOf(before[place] ?? {}, document[metadataField])),
    )
    for (const { place, reason } of refused) {
      const document = documents[place] ?? {}
      this.#onRefused({
        _id: document['_id'],
        id: document[metadataField].id,
        reason: `MongoDB does not accept its catalog metadata: ${reason}`,
      })
      document[metadataField] = before[place]?.[metadataField]
    }
    for (const place of duplicates) {
      const [document, read] = [documents[place], before[place]]
      if (document !== undefined && read !== undefined) {
        const duplicate = asDuplicate(this.#type, document[metadataField], document)
        const known = findMetadata(read)
        const isKnown = known.id === duplicate.id && known.hash === duplicate.hash
        document[metadataField] = isKnown ? read[metadataField] : duplicate
        await writeUnordered(this.#collection, isKnown ? [] : [this.#writeOf(read, duplicate)])
      }
    }
  }

  /** Without the documents that no write could name: their `_id` cannot be written back, see `readDocuments`. */
  #withIdentity({ documents, before }: Derived): Derived {
    const isNamed = (document: Document) => document['_id'] !== undefined
    for (const document of documents.filter((each) => !isNamed(each))) {
      this.#onRefused({
        _id: undefined,
        id: document[metadataField].id,
        reason: '_id: a value with a member _bsontype cannot be written back',
      })
      delete document[metadataField]
    }
    return { documents: documents.filter(isNamed), before: before.filter(isNamed) }
  }

  #isChanged(document: Document): boolean {
    const metadata = findMetadata(document)
    try {
      return (
        !isWhole(document, metadata) ||
        metadata.hash !== hashOf(document, this.#settings) ||
        this.#isReadOtherwise(document, metadata)
      )
    } catch {
      // Its new metadata says why it cannot be read.
      return true
    }
  }

  /** Whether an earlier version has read another content in the same document. */
  #isReadOtherwise(
    document: Document,
    { contentHash = null, changedAt = new Date() }: ReturnType<typeof findMetadata>,
  ): boolean {
    return (
      contentHash !== null &&
      contentHash !== deriveMetadata(this.#type, document, this.#settings, changedAt).contentHash
    )
  }

  #writeOf(before: Document, metadata: CatalogMetadata): AnyBulkWriteOperation<Document> {
    return {
      updateOne: { filter: unchangedSince(before, this.#type, this.#settings), update: stampUpdate(metadata) },
    }
  }
}
