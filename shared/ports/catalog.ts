import type { DatasetReader } from './dataset-reader.js'
import type { DeadLetters } from './dead-letters.js'
import type { Locks } from './locks.js'
import type { RecordWriter } from './record-writer.js'
import type { SkillReader } from './skill-reader.js'
import type { SkillTexts } from './skill-texts.js'
import type { StarHistories } from './star-histories.js'
import type { StateStore } from './state-store.js'

/**
 * The catalog's database: the records, from which the index, the statistics and the exports are made, and the state of
 * the jobs. Functions depend on the port that they need, not on all of it.
 */
export interface Catalog
  extends SkillReader,
    DatasetReader,
    RecordWriter,
    StateStore,
    DeadLetters,
    StarHistories,
    SkillTexts,
    Locks {
  close(): Promise<void>
}
