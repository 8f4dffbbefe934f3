import type { Collection, Document, Filter } from 'mongodb'
import { changedValue } from '../../../../records/document-settings.js'
import { keyOf } from '../rows.js'

/** Clocks of writers may differ from the database's by so much, and a write may be seen so much later. */
const slackMs = 60_000

/** Documents that are remembered as read. */
const maxRemembered = 100_000

/**
 * Finds the documents that were written lately by the index of their changed-field: on a server without change streams.
 *
 * What the field does not show, by its form or because it was not written, is found by the comparison.
 */
export class RecentWrites {
  readonly #collection: Collection
  readonly #changedField: string
  /** The changed-field of the documents that were found last, by their keys. */
  #known = new Map<string, string>()

  constructor(collection: Collection, changedField: string) {
    this.#collection = collection
    this.#changedField = changedField
  }

  /**
   * The `_id`s of documents whose changed-field is near the present, or after `sinceMs`, and was not found with this value
   * before.
   *
   * @param sinceMs epoch milliseconds by the database's clock, also `nowMs`
   * @param reads whether the caller reads them: the next call does not find them again
   */
  async find(sinceMs: number, nowMs: number, reads: boolean): Promise<unknown[]> {
    const filter = { $or: writtenBetween(this.#changedField, Math.min(sinceMs, nowMs) - slackMs, nowMs + slackMs) }
    const found = new Map<string, string>()
    const changed: unknown[] = []
    for await (const document of this.#collection.find(filter, { projection: { [this.#changedField]: 1 } })) {
      const key = keyOf(document['_id'])
      const value = keyOf(changedValue(document, { changedField: this.#changedField }))
      if (this.#known.get(key) !== value) {
        changed.push(document['_id'])
      }
      if (found.size < maxRemembered) {
        found.set(key, value)
      }
    }
    this.#known = reads ? found : this.#known
    return changed
  }

  /** Finds all of them again: what was found was not read. */
  forget(): void {
    this.#known.clear()
  }
}

/**
 * Filters for a time span, one for each form in which a writer may store a time: a date; ISO-8601 text in UTC; seconds or
 * milliseconds since 1970, as numbers or text. MongoDB compares a value only with values of its own type. Each has both
 * ends: otherwise times in the future, numbers of another unit and texts in other forms would match at every search.
 */
function writtenBetween(field: string, fromMs: number, toMs: number): Filter<Document>[] {
  const [from, to] = [Math.max(0, fromMs), Math.max(0, toMs)]
  const [fromText, toText] = [new Date(from).toISOString(), new Date(to).toISOString()]
  const seconds = (ms: number) => Math.floor(ms / 1_000)
  const within = <T>(least: T, most: T): Filter<Document> => ({ [field]: { $gte: least, $lte: most } })
  return [
    within(new Date(from), new Date(to)),
    within(fromText, toText),
    within(fromText.replace('T', ' '), toText.replace('T', ' ')),
    within(from / 1_000, to / 1_000),
    within(from, to),
    // Ten digits, and three more for milliseconds, which sort after the same seconds.
    within(String(seconds(from)), String(seconds(to) + 1)),
  ]
}
