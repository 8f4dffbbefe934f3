import { randomUUID } from 'node:crypto'
import { operatorError } from '../../../runtime/errors.js'
import { cleanStoredRecords, divideRecords, logUnlogged } from './convert-records.js'
import type { SqliteDatabase } from './database.js'
import { listIndexes } from './filters.js'

/**
 * The migrations from an empty file to the present schema, oldest first. A released migration never changes: the schema
 * changes by a new one. `PRAGMA user_version` is the number of applied migrations.
 */
const migrations: ((db: SqliteDatabase) => void)[] = [
  (db) => {
    db.exec(`
      CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
      INSERT INTO counters VALUES ('sequence', 0);

      -- Every skill ever seen, tombstones included; sequence numbers its changes in the order of their commits.
      CREATE TABLE skills (
        rowid INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        state INTEGER NOT NULL,
        sequence INTEGER NOT NULL UNIQUE,
        repo TEXT NOT NULL,
        name_key TEXT NOT NULL,
        stars INTEGER,
        created_at TEXT,
        updated_at TEXT,
        removed_at TEXT,
        record TEXT NOT NULL
      );
      CREATE INDEX skills_by_updated ON skills (updated_at DESC, id) WHERE state = 0;
      CREATE INDEX skills_by_stars ON skills (stars DESC, id) WHERE state = 0;
      CREATE INDEX skills_by_created ON skills (created_at DESC, id) WHERE state = 0;
      CREATE INDEX skills_by_name ON skills (name_key, id) WHERE state = 0;
      CREATE INDEX skills_by_repo ON skills (repo) WHERE state = 0;

      -- Of published skills only: what can be filtered by, and how many skills and stars each value has.
      CREATE TABLE skill_facets (
        facet TEXT NOT NULL, value TEXT NOT NULL, skill INTEGER NOT NULL,
        PRIMARY KEY (facet, value, skill)
      ) WITHOUT ROWID;
      CREATE TABLE facet_totals (
        facet TEXT NOT NULL, value TEXT NOT NULL, skills INTEGER NOT NULL, stars INTEGER NOT NULL,
        PRIMARY KEY (facet, value)
      ) WITHOUT ROWID;
      CREATE INDEX facet_totals_by_size ON facet_totals (facet, skills DESC, stars DESC, value);
      CREATE TABLE former_ids (
        former_id TEXT NOT NULL, id TEXT NOT NULL, PRIMARY KEY (former_id, id)
      ) WITHOUT ROWID;
      CREATE INDEX former_ids_by_id ON former_ids (id);

      CREATE TABLE prompts (id TEXT PRIMARY KEY, state INTEGER NOT NULL, record TEXT NOT NULL);
      CREATE TABLE organizations (id TEXT PRIMARY KEY, state INTEGER NOT NULL, record TEXT NOT NULL);

      CREATE TABLE state (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
      CREATE TABLE dead_letters (id TEXT PRIMARY KEY, reason TEXT NOT NULL, since TEXT NOT NULL) WITHOUT ROWID;
      CREATE TABLE index_slots (role TEXT PRIMARY KEY, slot TEXT NOT NULL, settings TEXT NOT NULL) WITHOUT ROWID;
    `)
  },
  (db) => {
    db.exec(`
      -- The latest change of every skill that was ever published; content_hash is null for a removal.
      CREATE TABLE changes (
        id TEXT PRIMARY KEY,
        sequence INTEGER NOT NULL UNIQUE,
        content_hash TEXT,
        changed_at TEXT NOT NULL
      ) WITHOUT ROWID;
      CREATE INDEX changes_removed ON changes (changed_at) WHERE content_hash IS NULL;

      CREATE TABLE change_log (
        head INTEGER NOT NULL, horizon INTEGER NOT NULL, watermark TEXT, complete INTEGER NOT NULL
      );
      INSERT INTO change_log VALUES (0, 0, NULL, 0);
    `)
  },
  // The same tables, but no record with an e-mail address in its public fields, see `cleanedVersion`.
  () => undefined,
  // Cleans the records again, as the migration before: more disguises of addresses are known.
  () => undefined,
  (db) => {
    // Changes that had not been logged when the log was a table of its own, in their order.
    db.exec(`
      CREATE TEMP TABLE unlogged AS SELECT rowid AS skill FROM skills
      WHERE sequence > coalesce((SELECT CAST(watermark AS INTEGER) FROM change_log), 0) ORDER BY sequence;
    `)
    db.exec(`
      -- The change log is a part of the rows: sequence, hash of the public content (null: not published any more) and
      -- time of a skill's latest change. A sequence of null: never published, or a removal that was dropped.
      CREATE TABLE logged_skills (
        rowid INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        state INTEGER NOT NULL,
        sequence INTEGER UNIQUE,
        content_hash TEXT,
        changed_at TEXT,
        repo TEXT NOT NULL,
        name_key TEXT NOT NULL,
        stars INTEGER,
        created_at TEXT,
        updated_at TEXT,
        removed_at TEXT,
        record TEXT NOT NULL
      );
      INSERT INTO logged_skills
        SELECT s.rowid, s.id, state, c.sequence, c.content_hash, c.changed_at, repo, name_key, stars, created_at,
          updated_at, removed_at, record
        FROM skills s LEFT JOIN changes c ON c.id = s.id ORDER BY s.rowid;
      DROP TABLE skills;
      ALTER TABLE logged_skills RENAME TO skills;
      CREATE INDEX skills_by_updated ON skills (updated_at DESC, id) WHERE state = 0;
      CREATE INDEX skills_by_stars ON skills (stars DESC, id) WHERE state = 0;
      CREATE INDEX skills_by_created ON skills (created_at DESC, id) WHERE state = 0;
      CREATE INDEX skills_by_name ON skills (name_key, id) WHERE state = 0;
      CREATE INDEX skills_by_repo ON skills (repo) WHERE state = 0;
      CREATE INDEX skills_removals ON skills (changed_at) WHERE content_hash IS NULL AND sequence IS NOT NULL;

      ALTER TABLE change_log DROP COLUMN watermark;
      ALTER TABLE change_log DROP COLUMN complete;
      ALTER TABLE dead_letters ADD COLUMN source TEXT NOT NULL DEFAULT 'index';
      DROP TABLE changes;
      DROP TABLE counters;
    `)
    logUnlogged(db)
    db.exec('DROP TABLE unlogged')
  },
  (db) => {
    for (const slot of ['a', 'b', 'c', 'd']) {
      for (const table of ['documents', 'texts', 'words', 'names', 'terms', 'spelling', 'copies', 'vectors', 'codes']) {
        db.exec(`DROP TABLE IF EXISTS ${table}_${slot}`)
      }
    }
    // The search index is in files of its own, and is built again.
    db.exec(`
      DROP TABLE index_slots;
      CREATE TABLE search_indexes (role TEXT PRIMARY KEY, file TEXT NOT NULL, settings TEXT NOT NULL) WITHOUT ROWID;
      ALTER TABLE skills ADD COLUMN more TEXT;
    `)
    // A file that is missing: searches are answered when it is built, not from an empty index.
    db.exec(`INSERT INTO search_indexes SELECT 'live', 'search-0.db', '' WHERE EXISTS (SELECT 1 FROM skills)`)
    divideRecords(db)
  },
  (db) => {
    db.exec(`
      -- The stars of a skill by day, as JSON, see \`withDay\`; trend: see \`trendOf\`.
      CREATE TABLE star_histories (skill INTEGER PRIMARY KEY, days TEXT NOT NULL);
      ALTER TABLE skills ADD COLUMN trend INTEGER;
      CREATE INDEX skills_by_trend ON skills (trend DESC, id) WHERE state = 0 AND trend IS NOT NULL;
      CREATE INDEX skills_trending ON skills (id) WHERE trend IS NOT NULL;
    `)
  },
  // The same tables, but no record with credentials or invisible characters in its public fields, see `cleanedVersion`.
  () => undefined,
  (db) => {
    // Which catalog the log is of, see `LogBounds`; and which file this is, see `FileWatch`.
    db.exec('ALTER TABLE change_log ADD COLUMN catalog TEXT')
    db.exec('ALTER TABLE change_log ADD COLUMN file TEXT')
    db.run('UPDATE change_log SET catalog = ?, file = ?', [randomUUID(), randomUUID()])
  },
  (db) => {
    // Several skills may lie in one repository: all of before are their repositories' own. A quote within a text has a \\.
    db.exec(`
      UPDATE skills SET record = substr(record, 1, length(record) - 1)
        || ',"skill":null,"path":null,"commit":null,"digest":null}'
      WHERE instr(record, ',"skill":') = 0;
    `)
  },
  (db) => {
    db.exec(`
      -- Texts of skills, packed, each once; skills: the number of those that have it. And the text and files of each skill.
      CREATE TABLE texts (
        rowid INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE, skills INTEGER NOT NULL, packed BLOB NOT NULL
      );
      CREATE TABLE skill_texts (skill INTEGER PRIMARY KEY, text INTEGER NOT NULL, files BLOB NOT NULL);
    `)
  },
  (db) => {
    // The number of repositories, which writes keep from now on, see `facetCodes`.
    db.exec(`
      INSERT INTO facet_totals
        SELECT 'r', '', count(DISTINCT substr(id, 1, instr(id || '@', '@') - 1)), 0 FROM skills WHERE state = 0;
    `)
  },
]

/**
 * Files of earlier versions hold records with e-mail addresses, credentials or invisible characters, which are removed
 * when the tables have their present shape.
 */
const cleanedVersion = 8

/** Files of earlier versions do not say which catalog and which file they are. */
export const identifiedVersion = 9

/** Files of earlier versions have the search index in them, and give back its space. */
const dividedVersion = 6

/** The format of the files that this version writes. */
export const presentFormat = migrations.length

/** The format of a file: the number of migrations that were applied to it. */
export const formatOf = (db: SqliteDatabase): number => db.value('PRAGMA user_version') ?? 0

/** Whether the file has the indexes of filters and orders that were added without a migration. */
function hasListIndexes(db: SqliteDatabase): boolean {
  const present = new Set(db.column("SELECT name FROM sqlite_schema WHERE type = 'index'"))
  return [...listIndexes.keys()].every((name) => present.has(name))
}

/** @throws AppError `data_folder_newer` when a newer version of the catalog has written it */
function refuseNewer(db: SqliteDatabase): void {
  if (formatOf(db) > migrations.length) {
    throw operatorError(
      'data_folder_newer',
      `${db.path} was written by a newer version of Skill Catalog (format ${formatOf(db)}, this one knows ${migrations.length}). ` +
        'Update the program, or set DATA_DIR to another folder.',
    )
  }
}

/**
 * Checks that the file has the present shape, without changing it.
 *
 * @throws AppError `data_folder_newer` or `data_folder_older`
 */
export function checkFormat(db: SqliteDatabase): void {
  refuseNewer(db)
  if (formatOf(db) < migrations.length || !hasListIndexes(db)) {
    throw operatorError(
      'data_folder_older',
      `${db.path} has an older format (${formatOf(db)}, this version reads ${migrations.length}), or none. ` +
        'npm run catalog -- sync updates it.',
    )
  }
}

/**
 * Brings the file to the present shape.
 *
 * @throws AppError `data_folder_newer` when a newer version of the catalog has written it, `data_folder_foreign` when
 * something else has
 */
export function migrate(db: SqliteDatabase): void {
  refuseNewer(db)
  // Stored in the file, so that it applies to every later connection. A new one and a backup have not got it.
  const isLogged = () => db.value('PRAGMA journal_mode') === 'wal'
  if (formatOf(db) === migrations.length && hasListIndexes(db)) {
    if (!isLogged()) {
      db.exec('PRAGMA journal_mode = WAL')
    }
    return
  }
  if (formatOf(db) === 0 && db.get('SELECT 1 FROM sqlite_master') !== null) {
    throw foreign(db, 'is a database of another program')
  }
  const before = writeMigrations(db)
  db.exec('PRAGMA journal_mode = WAL')
  if (before > 0 && before < dividedVersion) {
    db.exec('VACUUM')
  }
}

const foreign = (db: SqliteDatabase, what: string, cause?: unknown) =>
  operatorError('data_folder_foreign', `${db.path} ${what}. Move it away, or set DATA_DIR to another folder.`, cause)

/** SQLite's result code for a statement that does not suit the tables. */
const unsuitable = 1

/**
 * Applies the missing migrations, all or none.
 *
 * @returns the format before
 * @throws AppError `data_folder_foreign` when the tables are not those of the format: its number is of another program
 */
function writeMigrations(db: SqliteDatabase): number {
  try {
    return db.write(() => {
      // Read again under the write lock: another process may have migrated meanwhile.
      const from = formatOf(db)
      for (const [step, migration] of migrations.entries()) {
        if (step >= formatOf(db)) {
          migration(db)
          db.exec(`PRAGMA user_version = ${step + 1}`)
        }
      }
      if (from > 0 && from < cleanedVersion) {
        cleanStoredRecords(db)
      }
      for (const create of listIndexes.values()) {
        db.exec(create)
      }
      return from
    })
  } catch (error) {
    const what = `has not the tables of its format, ${formatOf(db)}: a program other than Skill Catalog 1.0 has written it`
    throw Object(error).rawCode === unsuitable ? foreign(db, what, error) : error
  }
}
