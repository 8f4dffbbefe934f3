import type { Db } from 'mongodb'
import type { Catalog } from '../../../../ports/catalog.js'
import type { ChangeLog } from '../../../../ports/change-log.js'
import { type Lock, withLock } from '../../../../ports/locks.js'
import type { RecordWriter } from '../../../../ports/record-writer.js'
import type { SkillReader } from '../../../../ports/skill-reader.js'
import type { DocumentSettings } from '../../../../records/document-settings.js'
import type { RecordType } from '../../../../records/records.js'
import type { StoredSkill } from '../../../../records/skill.js'
import { ingestName } from '../../../../state-keys.js'
import type { TextMode } from '../../../../text/skill-text.js'
import { removals } from '../../../../write-outcome.js'
import { changeLogIn } from '../change-log/change-log.js'
import { RowWriter } from '../change-log/row-writer.js'
import { type MongoConnection, serverTime, translated, withTranslatedErrors } from '../connection.js'
import { documentIngest, type MongoIngest } from '../ingest/ingest.js'
import { takeLease } from '../locks/lock.js'
import { documentsOf, rowsOf } from '../rows.js'
import { datasetReader } from './dataset-reader.js'
import { findById, findNearMatches, heirsOf, idsAfter, idsOfRepository, readRepository } from './find-by-id.js'
import { deadLetters, starHistories, stateStore } from './job-data.js'
import { readPage, SkillTotals } from './skill-pages.js'
import { type MongoSkillTexts, skillTexts } from './skill-texts.js'
import { putRecords, type Sources, setStates, storedOf, type WrittenSources } from './source-writes.js'

/** How long a write waits for the ingest of another process, which may be comparing all documents. */
const lockWaitMs = 600_000

/** The catalog in MongoDB, and what else reads its rows and documents. */
export interface MongoCatalog extends Catalog {
  /** Follows the documents; also reads those that the catalog writes. */
  documents: MongoIngest
  changes: ChangeLog
  /** Writes the rows, and with them the change log. */
  rows: RowWriter
}

/**
 * The catalog in MongoDB. Crawlers and imports write documents into `skills`, `prompts` and `organizations`, with any
 * `_id`; what is read of them is in the rows of `catalog_skills`, `catalog_prompts` and `catalog_organizations`, which the
 * ingest makes of them. The data of the jobs is in `state`, `dead_letters` and `locks`.
 *
 * @param textMode what is kept of texts in documents
 */
export function catalogIn(
  { client, db }: MongoConnection,
  settings: DocumentSettings,
  textMode: TextMode = 'cleaned',
): MongoCatalog {
  const texts = skillTexts(db, textMode, settings.fields.skills.skillMd.length > 0)
  const letters = deadLetters(db)
  const rows = new RowWriter(db)
  const documents = documentIngest({ db, settings, rows, texts, letters })
  const totals = new SkillTotals(rowsOf(db, 'skills'))
  const lock = (name: string) => translated(() => takeLease(db, name))

  /** Does work under the lock of the ingest, after the documents that were written before have been read. */
  async function write<T>(work: (lock: Lock) => Promise<T>): Promise<T> {
    return withLock({ catalog: { lock } }, ingestName, lockWaitMs, async (held) => {
      try {
        while ((await documents.ingest(held)).more) {
          // Until all that was written before is ingested.
        }
        return await work(held)
      } finally {
        totals.clear()
      }
    })
  }

  return {
    ...withTranslatedErrors({
      ...skillReader(db, totals),
      ...datasetReader(db),
      ...recordWriter({ db, settings, texts, documents, write }),
      ...stateStore(db),
      keepDeadLetters: letters.keepDeadLetters,
      dropDeadLetters: letters.dropDeadLetters,
      listDeadLetters: letters.listDeadLetters,
      ...starHistories(db),
      ...texts.reads,
    }),
    lock,
    recordsPerPut: 5_000,
    documents,
    changes: changeLogIn(db, rows),
    rows,
    close: async () => {
      await documents.close()
      await client.close()
    },
  }
}

function skillReader(db: Db, totals: SkillTotals): SkillReader {
  const skills = rowsOf(db, 'skills')
  return {
    listSkills: (query) => readPage(skills, totals, query),
    listVersion: async () => null,
    findSkill: async (id) => (await findById(skills, [id]))[0] ?? { state: 'unknown' },
    findSkills: (ids) => findById(skills, ids),
    readRepository: (repository, limit) => readRepository(skills, repository, limit),
    nearMatches: (id, limit) => findNearMatches(skills, id, limit),
  }
}

interface Writing {
  db: Db
  settings: DocumentSettings
  texts: MongoSkillTexts
  documents: MongoIngest
  write: <T>(work: (lock: Lock) => Promise<T>) => Promise<T>
}

function recordWriter({ db, settings, texts, documents, write }: Writing): Omit<RecordWriter, 'recordsPerPut'> {
  const skills = rowsOf(db, 'skills')
  const sourcesOf = (type: RecordType): Sources => ({
    collection: documentsOf(db, type),
    rows: rowsOf(db, type),
    type,
    settings,
  })
  const targetOf = (type: RecordType, lock: Lock): WrittenSources => ({
    ...sourcesOf(type),
    refresh: (sources) => documents.ingestSources(type, sources, lock),
  })
  const set: RecordWriter['setStates'] = (type, changes) =>
    write(async (lock) => {
      const target = targetOf(type, lock)
      const { result, written } = await setStates(target, changes, await serverTime(db))
      await target.refresh(written)
      return result
    })
  return {
    put: (type, records, options) =>
      write(async (lock) => {
        const { result, written, added } = await putRecords(targetOf(type, lock), records, options)
        const held = new Set(result.held)
        const put = type === 'skills' ? (records as StoredSkill[]).filter(({ id }) => !held.has(id)) : []
        const without = put.filter(({ digest, state }) => !digest && state !== 'removed')
        const droppedTexts = await texts.countOf(without.map(({ id }) => id))
        // Before the documents are read, so that a skill is logged once, with its text.
        const kept = await texts.keepContents(options?.contents ?? [], put)
        const ofTexts = await documents.sourcesOfRows('skills', kept.changed)
        await documents.ingestSources(type, [...written, ...ofTexts], lock, [
          ...added.map((id) => ({ collection: type, id })),
          ...kept.added.map((id) => ({ collection: 'skill_texts' as const, id })),
        ])
        // The events of these writes, so that no other process reads them all again.
        await documents.ingest(lock)
        return droppedTexts === 0 ? result : { ...result, droppedTexts }
      }),
    setStates: set,
    remove: async (type, ids) => (await set(type, removals(ids))).changed.length,
    findStored: (type, ids, members = 'all') => storedOf(sourcesOf(type), ids, members),
    idsOfRepository: (repository) => idsOfRepository(skills, repository),
    findHeirs: (formerIds) => heirsOf(skills, formerIds),
    listIds: (type, afterId, limit) => idsAfter(rowsOf(db, type), afterId, limit),
  }
}
