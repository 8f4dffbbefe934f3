import type { Catalog } from '../../../../ports/catalog.js'
import type { PutOptions, PutResult, RecordWriter } from '../../../../ports/record-writer.js'
import type { SkillReader } from '../../../../ports/skill-reader.js'
import { type RecordType, recordId, type StoredRecords } from '../../../../records/records.js'
import type { StoredSkill } from '../../../../records/skill.js'
import { canonicalJson } from '../../../../text/format-numbers.js'
import { inState, recordToWrite, removals } from '../../../../write-outcome.js'
import type { SqliteDatabase } from '../database.js'
import { datasetReader } from './dataset-reader.js'
import { findById, findHeirs, findNearMatches, idsOfRepository, readRepository } from './find-by-id.js'
import { deadLetters, starHistories, stateStore, takeFileLock } from './job-data.js'
import { findListedRows, positionOf } from './listed-rows.js'
import { ListTotals } from './skill-list.js'
import { type RecordRow, recordColumns, stateCodes, stateOf, storedSkill } from './skill-record.js'
import { skillTexts } from './skill-texts.js'
import { writeSkills } from './skill-writes.js'

/**
 * Records per write transaction. Each index of skills takes a batch in as many places as it has records, and every page
 * is written once: the larger the batch, the more of them share a page. The write lock is held for a second or two.
 */
export const recordsPerPut = 20_000

/**
 * The catalog in one SQLite file. Calls run in the calling thread and are complete when they return.
 *
 * @param lockFolder the folder of the lock files; made when first needed
 */
export const catalogIn = (db: SqliteDatabase, lockFolder: string): Catalog => ({
  ...skillReader(db),
  ...datasetReader(db),
  ...recordWriter(db),
  ...stateStore(db),
  ...deadLetters(db),
  ...starHistories(db),
  ...skillTexts(db),
  lock: async (name) => {
    // The lock would else be taken for a catalog that has replaced this one, or create a folder that was deleted.
    db.checkFile()
    return takeFileLock(lockFolder, name)
  },
  close: async () => db.close(),
})

function skillReader(db: SqliteDatabase): SkillReader {
  const totals = new ListTotals()
  return {
    listSkills: async (query) =>
      db.read(() => {
        const { rows, ...total } = findListedRows(db, { ...query, limit: query.limit + 1 }, totals)
        const listed = rows.slice(0, query.limit)
        const last = listed.at(-1)
        return {
          skills: listed.map(({ record, value, others }) => ({
            record,
            trend: query.sort === 'trending' && value !== null ? Number(value) : null,
            others,
          })),
          ...total,
          next: rows.length > query.limit && last !== undefined ? positionOf(last, query.sort) : null,
        }
      }),
    listVersion: async () => db.version(),
    findSkill: async (id) => findById(db, id),
    findSkills: async (ids) => db.read(() => ids.map((id) => findById(db, id))),
    readRepository: async (repository, limit) => readRepository(db, repository, limit),
    nearMatches: async (id, limit) => findNearMatches(db, id, limit),
  }
}

function recordWriter(db: SqliteDatabase): RecordWriter {
  const setStates: RecordWriter['setStates'] = async (type, changes) => {
    const wanted = new Map(changes.map((change) => [change.id, change]))
    return db.write(() => {
      const now = new Date()
      const stored = findStored(db, type, [...wanted.keys()])
      const records = stored.flatMap(({ id, stored: before }) => {
        const change = wanted.get(id)
        const next = change === undefined ? null : inState(before, change, now)
        return next === null ? [] : [[id, next] as const]
      })
      putRecords(db, type, new Map(records), now)
      const known = new Set(stored.map(({ id }) => id))
      return { changed: records.map(([id]) => id), unknown: [...wanted.keys()].filter((id) => !known.has(id)) }
    })
  }
  return {
    recordsPerPut,
    put: async (type, records, options) => {
      const latest = new Map(records.map((record) => [recordId(type, record), record]))
      return db.write(() => putRecords(db, type, latest, new Date(), options))
    },
    setStates,
    remove: async (type, ids) => (await setStates(type, removals(ids))).changed.length,
    findStored: async (type, ids) => findStored(db, type, ids),
    idsOfRepository: async (repository) => idsOfRepository(db, repository),
    findHeirs: async (formerIds) => findHeirs(db, formerIds),
    listIds: async (type, afterId, limit) =>
      db.column<string>(`SELECT id FROM ${type} WHERE id > ? AND state <> ? ORDER BY id LIMIT ?`, [
        afterId ?? '',
        stateCodes.removed,
        limit,
      ]),
  }
}

function findStored(
  db: SqliteDatabase,
  type: RecordType,
  ids: string[],
): { id: string; stored: StoredSkill | StoredPlain }[] {
  const columns = type === 'skills' ? recordColumns : 'record'
  return db
    .all<RecordRow & { id: string }>(
      `SELECT id, ${columns} FROM ${type} WHERE id IN (SELECT value FROM json_each(?))`,
      [JSON.stringify(ids)],
    )
    .map(({ id, ...row }) => ({ id, stored: type === 'skills' ? storedSkill(row) : JSON.parse(row.record) }))
}

/** Writes records by their ids. Must run inside a write transaction. */
const putRecords = (
  db: SqliteDatabase,
  type: RecordType,
  records: ReadonlyMap<string, StoredSkill | StoredPlain>,
  now: Date,
  options?: PutOptions,
): PutResult =>
  type === 'skills'
    ? writeSkills(db, [...records.values()] as StoredSkill[], now, options)
    : putPlain(db, type, records as ReadonlyMap<string, StoredPlain>, options)

/** A prompt or an organization: a row with its state and all of it as JSON. */
type StoredPlain = StoredRecords['prompts' | 'organizations']

/** Writes prompts or organizations. Must run inside a write transaction. */
function putPlain(
  db: SqliteDatabase,
  type: 'prompts' | 'organizations',
  records: ReadonlyMap<string, StoredPlain>,
  options: PutOptions = {},
): PutResult {
  const held: string[] = []
  const counts: PutResult = { added: 0, changed: 0, unchanged: 0, ...(options.holdChanges ? { held } : {}) }
  for (const [id, given] of records) {
    const before = db.get<{ state: number; record: string }>(`SELECT state, record FROM ${type} WHERE id = ?`, [id])
    const stored = before && { state: stateOf(before.state), members: () => JSON.parse(before.record) }
    const record = recordToWrite(id, given, stored, options)
    const text = canonicalJson(record)
    if (before?.record === text) {
      counts.unchanged += 1
      continue
    }
    if (before !== null && options.holdChanges) {
      held.push(id)
      continue
    }
    db.run(`INSERT OR REPLACE INTO ${type} VALUES (?, ?, ?)`, [id, stateCodes[record.state], text])
    counts[before === null ? 'added' : 'changed'] += 1
  }
  return counts
}
