import type { Catalog, StarHistory } from '../../../../ports/catalog.js'
import type { ExportRows, IndexKind, IndexValue, ScanPosition } from '../../../../ports/dataset-reader.js'
import type { DeadLetter } from '../../../../ports/document-ingest.js'
import type { Lock } from '../../../../ports/locks.js'
import type { Heir, PutOptions, PutResult, StateChange, StateResult } from '../../../../ports/record-writer.js'
import type { FoundSkill, Repository, SkillListPage, SkillListQuery } from '../../../../ports/skill-reader.js'
import type { FoundById, PassageQuery, SkillContent, WholeTextsQuery } from '../../../../ports/skill-texts.js'
import { type RecordType, recordId, type StoredRecords } from '../../../../records/records.js'
import type { Skill, StoredSkill } from '../../../../records/skill.js'
import { inState, removals } from '../../../../write-outcome.js'
import type { SqliteDatabase } from '../database.js'
import { findById, findHeirs, findNearMatches, idsOfRepository, readRepository } from './find-by-id.js'
import {
  dropDeadLetters,
  keepDeadLetters,
  listDeadLetters,
  listTrending,
  putPlain,
  readHistories,
  readState,
  type StoredPlain,
  scanById,
  scanByStars,
  takeFileLock,
  writeHistories,
  writeState,
} from './job-data.js'
import { ListTotals } from './list-totals.js'
import { findListedRows, positionOf } from './listed-rows.js'
import { isQuickList } from './skill-list.js'
import { type RecordRow, recordColumns, stateCodes, storedSkill } from './skill-record.js'
import { findPassages, keepContents, readFiles, readText, readTexts, readWholeTexts } from './skill-texts.js'
import { writeSkills } from './skill-writes.js'
import { computeStats, exportRows, largestValues } from './statistics.js'

/**
 * Records per write transaction. Each index of skills takes a batch in as many places as it has records, and every page
 * is written once: the larger the batch, the more of them share a page. The write lock is held for a second or two.
 */
export const recordsPerPut = 20_000

/** The catalog in one SQLite file. Calls run in the calling thread and are complete when they return. */
export class SqliteCatalog implements Catalog {
  readonly recordsPerPut = recordsPerPut
  readonly #db: SqliteDatabase
  readonly #lockFolder: string
  readonly #totals = new ListTotals()

  /** @param lockFolder the folder of the lock files; made when first needed */
  constructor(db: SqliteDatabase, lockFolder: string) {
    this.#db = db
    this.#lockFolder = lockFolder
  }

  async listSkills(query: SkillListQuery): Promise<SkillListPage> {
    return this.#db.read(() => {
      const { rows, ...total } = findListedRows(this.#db, { ...query, limit: query.limit + 1 }, this.#totals)
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
    })
  }

  async listVersion(): Promise<string> {
    return this.#db.version()
  }

  /** Whether a page takes less time to read than a message to another thread. */
  isQuickList(query: SkillListQuery): boolean {
    return isQuickList(this.#db, query)
  }

  async findSkill(id: string): Promise<FoundSkill> {
    return findById(this.#db, id)
  }

  async findSkills(ids: string[]): Promise<FoundSkill[]> {
    return this.#db.read(() => ids.map((id) => findById(this.#db, id)))
  }

  async readRepository(repository: string, limit?: number): Promise<Repository> {
    return readRepository(this.#db, repository, limit)
  }

  async nearMatches(id: string, limit: number): Promise<string[]> {
    return findNearMatches(this.#db, id, limit)
  }

  async put<T extends RecordType>(type: T, records: StoredRecords[T][], options?: PutOptions): Promise<PutResult> {
    const latest = new Map(records.map((record) => [recordId(type, record), record]))
    return this.#db.write(() =>
      type === 'skills'
        ? writeSkills(this.#db, [...latest.values()] as StoredSkill[], new Date(), options)
        : putPlain(this.#db, type, latest as Map<string, StoredPlain>, options),
    )
  }

  async setStates(type: RecordType, changes: StateChange[]): Promise<StateResult> {
    const wanted = new Map(changes.map((change) => [change.id, change]))
    return this.#db.write(() => {
      const now = new Date()
      const stored = this.#stored(type, [...wanted.keys()])
      const records = stored.flatMap(({ id, stored: before }) => {
        const change = wanted.get(id)
        const next = change === undefined ? null : inState(before, change, now)
        return next === null ? [] : [[id, next] as const]
      })
      if (type === 'skills') {
        writeSkills(
          this.#db,
          records.map(([, skill]) => skill as StoredSkill),
          now,
        )
      } else {
        putPlain(this.#db, type, new Map(records) as Map<string, StoredPlain>)
      }
      const known = new Set(stored.map(({ id }) => id))
      return { changed: records.map(([id]) => id), unknown: [...wanted.keys()].filter((id) => !known.has(id)) }
    })
  }

  async remove(type: RecordType, ids: string[]): Promise<number> {
    return (await this.setStates(type, removals(ids))).changed.length
  }

  async findStored(type: RecordType, ids: string[]): Promise<{ id: string; stored: unknown }[]> {
    return this.#stored(type, ids)
  }

  async idsOfRepository(repository: string): Promise<string[]> {
    return idsOfRepository(this.#db, repository)
  }

  async findHeirs(formerIds: string[]): Promise<Heir[]> {
    return findHeirs(this.#db, formerIds)
  }

  async listIds(type: RecordType, afterId: string | null, limit: number): Promise<string[]> {
    return this.#db
      .all<{ id: string }>(`SELECT id FROM ${type} WHERE id > ? AND state <> ? ORDER BY id LIMIT ?`, [
        afterId ?? '',
        stateCodes.removed,
        limit,
      ])
      .map((row) => row.id)
  }

  async scanSkills(afterId: string | null, limit: number): Promise<Skill[]> {
    return scanById(this.#db, afterId, limit)
  }

  async scanForIndex(after: ScanPosition | null, limit: number): Promise<Skill[]> {
    return scanByStars(this.#db, after, limit)
  }

  async computeStats(): ReturnType<Catalog['computeStats']> {
    return this.#db.read(() => computeStats(this.#db))
  }

  async largestValues(of: IndexKind): Promise<IndexValue[]> {
    return largestValues(this.#db, of)
  }

  async exportRows<T extends RecordType>(
    type: T,
    limit: number,
    maxCharacters = Number.POSITIVE_INFINITY,
  ): Promise<ExportRows<T>> {
    return this.#db.read(() => exportRows(this.#db, type, limit, maxCharacters))
  }

  async readState<T>(key: string): Promise<T | null> {
    return readState(this.#db, key)
  }

  async writeState(key: string, value: unknown): Promise<void> {
    writeState(this.#db, key, value)
  }

  async keepDeadLetters(letters: DeadLetter[]): Promise<void> {
    this.#db.write(() => keepDeadLetters(this.#db, letters))
  }

  async dropDeadLetters(ids: string[], source: DeadLetter['source']): Promise<void> {
    dropDeadLetters(this.#db, ids, source)
  }

  async listDeadLetters(afterId: string | null, limit: number): Promise<DeadLetter[]> {
    return listDeadLetters(this.#db, afterId, limit)
  }

  async keepContents(contents: SkillContent[]): Promise<void> {
    this.#db.write(() => keepContents(this.#db, contents, new Date()))
  }

  async readText(skill: FoundById): ReturnType<Catalog['readText']> {
    return readText(this.#db, skill)
  }

  async readTexts(skills: FoundById[]): Promise<Map<string, string>> {
    return readTexts(this.#db, skills)
  }

  async findPassages(skills: PassageQuery[]): ReturnType<Catalog['findPassages']> {
    return findPassages(this.#db, skills)
  }

  async readWholeTexts(skills: FoundById[], query: WholeTextsQuery): ReturnType<Catalog['readWholeTexts']> {
    return this.#db.read(() => readWholeTexts(this.#db, skills, query))
  }

  async readFiles(skill: FoundById): ReturnType<Catalog['readFiles']> {
    return readFiles(this.#db, skill)
  }

  async readHistories(ids: string[]): Promise<StarHistory[]> {
    return readHistories(this.#db, ids)
  }

  async writeHistories(histories: Parameters<Catalog['writeHistories']>[0]): Promise<void> {
    this.#db.write(() => writeHistories(this.#db, histories))
  }

  async listTrending(afterId: string | null, limit: number): Promise<string[]> {
    return listTrending(this.#db, afterId, limit)
  }

  async lock(name: string): Promise<Lock | null> {
    // The lock would else be taken for a catalog that has replaced this one, or create a folder that was deleted.
    this.#db.checkFile()
    return takeFileLock(this.#lockFolder, name)
  }

  async close(): Promise<void> {
    this.#db.close()
  }

  #stored(type: RecordType, ids: string[]): { id: string; stored: StoredSkill | StoredPlain }[] {
    const columns = type === 'skills' ? recordColumns : 'record'
    return this.#db
      .all<RecordRow & { id: string }>(
        `SELECT id, ${columns} FROM ${type} WHERE id IN (SELECT value FROM json_each(?))`,
        [JSON.stringify(ids)],
      )
      .map(({ id, ...row }) => ({ id, stored: type === 'skills' ? storedSkill(row) : JSON.parse(row.record) }))
  }
}
