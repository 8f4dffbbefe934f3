import { join } from 'node:path'
import { writeSkills } from '../../shared/adapters/embedded/sqlite/catalog/skill-writes.js'
import { SqliteDatabase } from '../../shared/adapters/embedded/sqlite/database.js'
import type { Lock } from '../../shared/ports/locks.js'
import type { IndexReplica, IndexTarget } from '../../shared/ports/search-index.js'
import type { Skill } from '../../shared/records/skill.js'
import { withOverrides } from './with-overrides.js'

/** Stores published skills in a data folder, with the `indexedAt` that they have. */
function storeRecords(dataDir: string, skills: Skill[]): void {
  const db = new SqliteDatabase(join(dataDir, 'catalog.db'))
  try {
    db.write(() => {
      const stored = skills.map((skill) => ({ ...skill, state: 'published' as const, removedAt: null, formerIds: [] }))
      writeSkills(db, stored, new Date())
      for (const skill of skills) {
        db.run('UPDATE skills SET record = ? WHERE id = ?', [JSON.stringify(skill), skill.id])
      }
    })
  } finally {
    db.close()
  }
}

/** The same index, which stores the records of what it publishes first: the embedded one refers to them. */
export const storingRecords = <Index extends IndexReplica>(dataDir: string, index: Index): Index =>
  withOverrides(index, {
    apply: async (changes: Parameters<Index['apply']>[0], target: IndexTarget, lock: Lock) => {
      const skills = changes.publish.map(({ skill }) => skill)
      storeRecords(dataDir, skills)
      return index.apply(changes, target, lock)
    },
  } as Partial<Index>)
