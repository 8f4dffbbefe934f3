import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { openEmbedded } from '../../shared/adapters/embedded/open-embedded.js'
import { SqliteDatabase } from '../../shared/adapters/embedded/sqlite/database.js'
import { facetCodes } from '../../shared/adapters/embedded/sqlite/filters.js'
import type { StoredSkill } from '../../shared/records/skill.js'
import { canonicalJson } from '../../shared/text/format-numbers.js'
import { silentLog } from './test-log.js'

/** The change of a skill as it was logged before the log was a part of the skills. */
export interface OldChange {
  id: string
  sequence: number
  /** Null: removed. */
  contentHash: string | null
  changedAt: string
}

/** A catalog as an earlier version has left it. */
export interface OldCatalog {
  /** In the order of their changes, of which the first `logged` are logged. */
  skills: StoredSkill[]
  logged: number
  changes: OldChange[]
  horizon: number
  /** The published skills that its search index has. */
  indexed: StoredSkill[]
}

/** Writes a data folder of format 3 or 4: with the log in a table of its own, filled by a job. */
export async function writeOldCatalog(folder: string, format: 3 | 4, catalog: Partial<OldCatalog>): Promise<void> {
  const { skills = [], logged = 0, changes = [], horizon = 0, indexed = [] } = catalog
  const { close } = await openEmbedded(folder, { threads: false, log: silentLog() })
  await close()
  for (const name of readdirSync(folder).filter((file) => /\.db(-|$)/.test(file))) {
    rmSync(join(folder, name))
  }
  const db = new SqliteDatabase(join(folder, 'catalog.db'))
  try {
    db.exec(oldTables)
    skills.forEach((skill, place) => {
      writeSkill(db, skill, place + 1)
    })
    for (const { id, sequence, contentHash, changedAt } of changes) {
      db.run('INSERT INTO changes VALUES (?, ?, ?, ?)', [id, sequence, contentHash, changedAt])
    }
    db.run(`UPDATE counters SET value = ? WHERE name = 'sequence'`, [skills.length])
    const head = Math.max(0, ...changes.map(({ sequence }) => sequence))
    db.run('UPDATE change_log SET head = ?, horizon = ?, watermark = ?, complete = 1', [head, horizon, String(logged)])
    for (const { id } of indexed) {
      db.run('INSERT INTO documents_a VALUES (?)', [id])
    }
    db.exec(`PRAGMA user_version = ${format}`)
  } finally {
    db.close()
  }
}

function writeSkill(db: SqliteDatabase, skill: StoredSkill, sequence: number): void {
  const { id, name, stars, createdAt, updatedAt, removedAt } = skill
  const [owner = '', repo = ''] = id.split('/')
  const state = ['published', 'hidden', 'removed'].indexOf(skill.state)
  const record = canonicalJson(skill)
  db.run('INSERT INTO skills VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)', [
    ...[sequence, id, state, sequence, repo, name.toLowerCase(), stars, createdAt, updatedAt, removedAt, record],
  ])
  if (skill.state === 'published') {
    writeFacet(db, facetCodes.all, '', sequence, stars ?? 0)
    writeFacet(db, facetCodes.owner, owner, sequence, stars ?? 0)
    writeFacet(db, facetCodes.archived, String(skill.archived), sequence, stars ?? 0)
    for (const topic of skill.topics) {
      writeFacet(db, facetCodes.topics, topic.toLowerCase(), sequence, stars ?? 0)
    }
  }
}

function writeFacet(db: SqliteDatabase, facet: string, value: string, skill: number, stars: number): void {
  if (facet !== facetCodes.all) {
    db.run('INSERT INTO skill_facets VALUES (?, ?, ?)', [facet, value, skill])
  }
  db.run(
    `INSERT INTO facet_totals VALUES (?, ?, 1, ?)
     ON CONFLICT (facet, value) DO UPDATE SET skills = skills + 1, stars = stars + excluded.stars`,
    [facet, value, stars],
  )
}

const oldTables = `
  CREATE TABLE index_slots (role TEXT PRIMARY KEY, slot TEXT NOT NULL, settings TEXT NOT NULL) WITHOUT ROWID;
  INSERT INTO index_slots VALUES ('live', 'a', 'of an older version');
  CREATE TABLE documents_a (id TEXT NOT NULL UNIQUE);
  CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
  INSERT INTO counters VALUES ('sequence', 0);
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
`
