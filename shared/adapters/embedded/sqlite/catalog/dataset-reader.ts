import {
  countedFields,
  type DatasetReader,
  type ExportRows,
  maxCountedValues,
  type ScanPosition,
  topListLength,
  topTopicsPerOrganization,
} from '../../../../ports/dataset-reader.js'
import {
  type Prompt,
  type RecordType,
  type StoredOrganization,
  type StoredPrompt,
  toPublicOrganization,
  toPublicPrompt,
} from '../../../../records/records.js'
import { type Skill, skillOf } from '../../../../records/skill.js'
import type { SqliteDatabase, SqlValue } from '../database.js'
import { facetCodes } from '../filters.js'
import { facetTotal } from './skill-list.js'
import { stateCodes } from './skill-record.js'

const promptsPerRead = 50

type FacetRow = { value: string; skills: number; stars: number }

/** The largest values of a facet: most skills first, then most stars, then by name. */
const largest = (db: SqliteDatabase, facet: string, limit: number): FacetRow[] =>
  db.all<FacetRow>(
    'SELECT value, skills, stars FROM facet_totals WHERE facet = ? ORDER BY skills DESC, stars DESC, value LIMIT ?',
    [facet, limit],
  )

const count = (db: SqliteDatabase, sql: string, values: (string | number)[]): number =>
  db.value<number>(sql, values) ?? 0

const countFacet = (db: SqliteDatabase, facet: string): number =>
  count(db, 'SELECT count(*) FROM facet_totals WHERE facet = ?', [facet])

function computeStats(db: SqliteDatabase): Awaited<ReturnType<DatasetReader['computeStats']>> {
  const all = db.get<FacetRow>('SELECT value, skills, stars FROM facet_totals WHERE facet = ?', [facetCodes.all])
  const edge = (direction: 'ASC' | 'DESC') =>
    db.value<string>(
      `SELECT updated_at FROM skills INDEXED BY skills_by_updated WHERE state = 0 AND updated_at IS NOT NULL ORDER BY updated_at ${direction} LIMIT 1`,
    )
  return {
    totals: {
      skills: all?.skills ?? 0,
      repositories: facetTotal(db, facetCodes.repositories),
      prompts: count(db, 'SELECT count(*) FROM prompts WHERE state = ?', [stateCodes.published]),
      organizations: countFacet(db, facetCodes.owner),
      topics: countFacet(db, facetCodes.topics),
      stars: all?.stars ?? 0,
    },
    topOrganizations: largest(db, facetCodes.owner, topListLength).map(({ value, skills, stars }) => ({
      login: value,
      name: storedOrganization(db, value)?.name ?? null,
      skills,
      stars,
    })),
    topTopics: largest(db, facetCodes.topics, topListLength).map(({ value, skills }) => ({ topic: value, skills })),
    freshness: { newestSkillUpdatedAt: edge('DESC'), oldestSkillUpdatedAt: edge('ASC') },
  }
}

/** Published skills by stars, the order of documents in the index: a page of them is written in one place. */
function scanByStars(db: SqliteDatabase, after: ScanPosition | null, limit: number): Skill[] {
  const skills: Skill[] = []
  const read = (condition: string, values: SqlValue[]) => {
    const source = `skills INDEXED BY skills_by_stars WHERE state = 0 AND ${condition} ORDER BY stars DESC, id LIMIT ?`
    skills.push(...readSkills(db, source, [...values, limit - skills.length]))
  }
  if (after !== null) {
    read('stars IS ? AND id > ?', [after.stars, after.id])
  }
  if (after?.stars !== null) {
    read('stars < ?', [after?.stars ?? Number.MAX_SAFE_INTEGER])
    read('stars IS NULL', [])
  }
  return skills
}

/** @param source what follows FROM */
const readSkills = (db: SqliteDatabase, source: string, values: SqlValue[]): Skill[] =>
  db.all<{ record: string }>(`SELECT record FROM ${source}`, values).map(skillOf)

/** The first prompts; some at a time, since each may have hundreds of kilobytes. */
function promptRows(db: SqliteDatabase, limit: number, maxCharacters: number): Prompt[] {
  const rows: Prompt[] = []
  let characters = 0
  for (let afterId = '', isEnd = false; !isEnd; ) {
    const found = db.all<{ id: string; record: string }>(
      'SELECT id, record FROM prompts WHERE state = 0 AND id > ? ORDER BY id LIMIT ?',
      [afterId, promptsPerRead],
    )
    isEnd = found.length < promptsPerRead
    for (const { id, record } of found) {
      if (rows.length === limit || characters >= maxCharacters) {
        return rows
      }
      const prompt = toPublicPrompt(JSON.parse(record) as StoredPrompt)
      rows.push(prompt)
      characters += prompt.content.length
      afterId = id
    }
  }
  return rows
}

function storedOrganization(db: SqliteDatabase, login: string): StoredOrganization | null {
  const record = db.value<string>('SELECT record FROM organizations WHERE id = ? AND state = 0', [login])
  return record === null ? null : (JSON.parse(record) as StoredOrganization)
}

/** The sum of the stars of an owner's skills; null when none of them has a known number. */
const knownStars = (db: SqliteDatabase, owner: string, stars: number): number | null =>
  stars > 0 ||
  db.get(
    `SELECT 1 FROM skill_facets f CROSS JOIN skills s ON s.rowid = f.skill
     WHERE f.facet = ? AND f.value = ? AND s.stars IS NOT NULL LIMIT 1`,
    [facetCodes.owner, owner],
  ) !== null
    ? stars
    : null

const topTopicsOf = (db: SqliteDatabase, owner: string): string[] =>
  db.column<string>(
    `SELECT t.value FROM skill_facets f CROSS JOIN skills s ON s.rowid = f.skill
     CROSS JOIN json_each(s.record, '$.topics') t
     WHERE f.facet = ? AND f.value = ? GROUP BY t.value ORDER BY count(*) DESC, t.value LIMIT ?`,
    [facetCodes.owner, owner, topTopicsPerOrganization],
  )

const exportReaders: {
  [T in RecordType]: (db: SqliteDatabase, limit: number, maxCharacters: number) => ExportRows<T>
} = {
  skills: (db, limit) => ({
    total: facetTotal(db, facetCodes.all),
    rows: scanByStars(db, null, limit),
  }),
  prompts: (db, limit, maxCharacters) => ({
    total: count(db, 'SELECT count(*) FROM prompts WHERE state = ?', [stateCodes.published]),
    rows: promptRows(db, limit, maxCharacters),
  }),
  organizations: (db, limit) => ({
    total: countFacet(db, facetCodes.owner),
    rows: largest(db, facetCodes.owner, limit).map(({ value, skills, stars }) =>
      toPublicOrganization(
        { login: value, skills, stars: knownStars(db, value, stars), topTopics: topTopicsOf(db, value) },
        storedOrganization(db, value),
      ),
    ),
  }),
}

/** Reads the whole dataset, see the port. */
export const datasetReader = (db: SqliteDatabase): DatasetReader => ({
  scanSkills: async (afterId, limit) =>
    readSkills(db, 'skills WHERE state = 0 AND id > ? ORDER BY id LIMIT ?', [afterId ?? '', limit]),
  scanForIndex: async (after, limit) => db.read(() => scanByStars(db, after, limit)),
  computeStats: async () => db.read(() => computeStats(db)),
  largestValues: async (of) =>
    largest(db, facetCodes[countedFields[of]], maxCountedValues).map(({ value, skills }) => ({ value, skills })),
  exportRows: async (type, limit, maxCharacters = Number.POSITIVE_INFINITY) =>
    db.read(() => exportReaders[type](db, limit, maxCharacters)),
})
