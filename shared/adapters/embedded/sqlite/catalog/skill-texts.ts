import { hash } from 'node:crypto'
import {
  type FoundById,
  maxPassages,
  maxWholeTexts,
  type SkillContent,
  type SkillFiles,
  type SkillTexts,
  type WholeText,
} from '../../../../ports/skill-texts.js'
import { passagesOf } from '../../../../ranking/passage.js'
import { packText, searchedText, unpackText } from '../../../../text/skill-text.js'
import type { LogEnd } from '../change-log/change-log.js'
import type { SqliteDatabase, SqlRow } from '../database.js'
import { stateCodes } from './skill-record.js'

/** A skill and what is kept of it. */
interface KeptRow extends SqlRow {
  rowid: number
  digest: string | null
  /** Of its public content; null: it is not published. */
  content_hash: string | null
  /** Null: it was never published. */
  sequence: number | null
  /** Null, as the next one: nothing is kept. */
  text_digest: ArrayBuffer | null
  files: ArrayBuffer | null
}

/** Keeps contents in place of earlier ones, see `PutOptions`. Must run inside a write transaction. @param log its log */
export function keepContents(db: SqliteDatabase, contents: SkillContent[], log: LogEnd): void {
  for (const { id, digest, text, files } of contents) {
    const kept = db.get<KeptRow>(
      `SELECT s.rowid AS rowid, s.record ->> 'digest' AS digest, s.content_hash AS content_hash, s.sequence AS sequence,
         t.digest AS text_digest, k.files AS files
       FROM skills s LEFT JOIN skill_texts k ON k.skill = s.rowid LEFT JOIN texts t ON t.rowid = k.text
       WHERE s.id = ? AND s.state <> ${stateCodes.removed}`,
      [id],
    )
    if (kept === null || kept.digest !== digest) {
      continue
    }
    const textDigest = hash('sha256', text, 'buffer')
    const packedFiles = packText(JSON.stringify(files))
    const isSameText = isEqual(textDigest, kept.text_digest)
    if (isSameText && isEqual(packedFiles, kept.files)) {
      continue
    }
    if (!isSameText && kept.content_hash !== null && !log.has(kept.sequence)) {
      log.append(kept.rowid, kept.content_hash)
    }
    dropContent(db, kept.rowid)
    const known = db.value<number>('SELECT rowid FROM texts WHERE digest = ?', [textDigest])
    if (known === null) {
      db.run('INSERT INTO texts (digest, skills, packed) VALUES (?, 1, ?)', [textDigest, packText(text)])
    } else {
      db.run('UPDATE texts SET skills = skills + 1 WHERE rowid = ?', [known])
    }
    db.run('INSERT INTO skill_texts SELECT ?, rowid, ? FROM texts WHERE digest = ?', [
      kept.rowid,
      packedFiles,
      textDigest,
    ])
  }
}

const isEqual = (bytes: Buffer, others: ArrayBuffer | null): boolean =>
  others !== null && bytes.equals(new Uint8Array(others))

/** Drops the content of a skill, if it has one, and its text where no other skill has it. Must run inside a write transaction. */
export function dropContent(db: SqliteDatabase, skill: number): boolean {
  const text = db.value<number>('SELECT text FROM skill_texts WHERE skill = ?', [skill])
  if (text !== null) {
    db.run('DELETE FROM skill_texts WHERE skill = ?', [skill])
    db.run('UPDATE texts SET skills = skills - 1 WHERE rowid = ?', [text])
    db.run('DELETE FROM texts WHERE rowid = ? AND skills = 0', [text])
  }
  return text !== null
}

const ofSkill = 'FROM skills s JOIN skill_texts k ON k.skill = s.rowid JOIN texts t ON t.rowid = k.text WHERE s.id = ?'

const ofSkills = `FROM json_each(?) m CROSS JOIN skills s ON s.id = m.value
  JOIN skill_texts k ON k.skill = s.rowid JOIN texts t ON t.rowid = k.text`

const digestIn = (digest: ArrayBuffer): string => `sha256:${Buffer.from(digest).toString('hex')}`

/** The texts of skills, packed. */
const packedTexts = (db: SqliteDatabase, skills: FoundById[]) =>
  db.all<{ id: string; text: number; packed: ArrayBuffer }>(
    `SELECT s.id AS id, t.rowid AS text, t.packed AS packed ${ofSkills}`,
    [JSON.stringify(skills.map(({ id }) => id))],
  )

/** The texts and files of skills, see the port. */
export const skillTexts = (db: SqliteDatabase): SkillTexts => ({
  readText: async ({ id }) => {
    const row = db.get<{ digest: ArrayBuffer; packed: ArrayBuffer }>(`SELECT t.digest, t.packed ${ofSkill}`, [id])
    return row === null ? null : { text: unpackText(row.packed), digest: digestIn(row.digest) }
  },

  readTexts: async (skills) => {
    const searched = new Map<number, string>()
    return new Map(
      packedTexts(db, skills).map(({ id, text, packed }) => {
        const known = searched.get(text) ?? searchedText(unpackText(packed))
        searched.set(text, known)
        return [id, known]
      }),
    )
  },

  findPassages: async (skills) => {
    const read = packedTexts(db, skills.slice(0, maxPassages))
    return passagesOf(
      skills,
      read.map(({ id, packed }) => [id, unpackText(packed)]),
    )
  },

  readWholeTexts: async (skills, { maxBytes, soleOnly }) =>
    db.read(() => {
      const rows = db.all<{ id: string; number: number; digest: ArrayBuffer; files: ArrayBuffer }>(
        `SELECT s.id AS id, t.rowid AS number, t.digest AS digest, k.files AS files ${ofSkills}`,
        [JSON.stringify(skills.slice(0, maxWholeTexts).map(({ id }) => id))],
      )
      return new Map(
        rows.map(({ id, number, digest, files: packed }): [string, WholeText] => {
          const { files, total } = JSON.parse(unpackText(packed)) as SkillFiles
          const isSole = total === 1
          const packedText =
            (soleOnly && !isSole) || (files[0]?.size ?? 0) > maxBytes
              ? null
              : db.value<ArrayBuffer>('SELECT packed FROM texts WHERE rowid = ?', [number])
          return [id, { digest: digestIn(digest), text: packedText && unpackText(packedText), isSole }]
        }),
      )
    }),

  readFiles: async ({ id }) => {
    const files = db.value<ArrayBuffer>(`SELECT k.files ${ofSkill}`, [id])
    return files === null ? null : JSON.parse(unpackText(files))
  },
})
