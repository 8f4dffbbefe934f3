import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from '@jest/globals'
import { SqliteDatabase } from '../../shared/adapters/embedded/sqlite/database.js'
import { skillOf } from '../../shared/records/skill.js'
import { aSkill } from '../support/factories.js'
import { fileOf, line, skillIds } from '../support/import-input.js'
import { runCatalog, startCatalog, withStoresOf } from '../support/run-catalog.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { expectInvariant } from './support/invariant.js'
import { inFolder } from './support/published-catalog.js'

/** A busy machine takes its time. */
const timeoutMs = 300_000

describe('a command is killed with SIGKILL', () => {
  test(
    'an import of a repository with 300 skills is killed: done again, each is there once, and former ids lead on',
    async () => {
      const folder = temporaryFolder()
      const lines = (repo: string, more: (skill: string) => object = () => ({})) =>
        Array.from({ length: 300 }, (_, n) => `s-${n}`).map((skill) =>
          line(repo, { skill, path: `skills/${skill}`, description: 'A tool. '.repeat(100), ...more(skill) }),
        )
      const first = ['import', fileOf('skills.ndjson', lines('kit').join('')), '--type', 'skills']
      const renamed = lines('new-kit', (skill) => ({ formerIds: [`acme/kit@${skill}`] }))
      const second = [
        'import',
        fileOf('skills.ndjson', renamed.join('')),
        '--type',
        'skills',
        '--replace',
        '--allow-removing',
        '300',
      ]
      for (const args of [first, second]) {
        for (const afterMs of [600, 1_000, 1_500]) {
          const command = startCatalog(folder, args)
          await sleep(afterMs)
          command.signal('SIGKILL')
          await command.ended
          const ids = await skillIds(folder)
          expect(new Set(ids).size).toBe(ids.length)
        }
        expect(await runCatalog(folder, args)).toMatchObject({ status: 0 })
        await expectInvariant(inFolder(folder))
      }

      await withStoresOf(folder, async ({ catalog }) => {
        const { records, total } = await catalog.readRepository('acme/new-kit')
        const ids = records.map((record) => skillOf({ record }).id)
        expect([new Set(ids).size, total]).toEqual([300, 300])
        expect(await catalog.readRepository('acme/kit')).toMatchObject({ records: [], total: 0 })
        const former = await catalog.findSkills(ids.map((id) => id.replace('new-kit', 'kit')))
        expect(former).toEqual(ids.map((presentId) => ({ state: 'renamed', presentId })))
      })
    },
    timeoutMs,
  )

  test(
    'the conversion of an older catalog file is killed: the ids, the log and the records are those of before',
    async () => {
      const folder = temporaryFolder()
      const skills = Array.from({ length: 8_000 }, (_, n) =>
        aSkill({ repo: `tool-${n}`, description: 'A tool. '.repeat(40) }),
      )
      const before = await withStoresOf(folder, async ({ catalog, changes }) => {
        await catalog.put('skills', skills)
        return changes.after(0, 10_000)
      })
      // The format in which each repository is one skill.
      const db = new SqliteDatabase(join(folder, 'catalog.db'))
      db.exec(`
      UPDATE skills SET record = substr(record, 1, instr(record, ',"skill":') - 1) || '}';
      DROP TABLE texts;
      DROP TABLE skill_texts;
      DELETE FROM facet_totals WHERE facet = 'r';
      PRAGMA user_version = 9;
    `)
      const format = () => Number(db.get('PRAGMA user_version')?.['user_version'])
      let killed = 0
      for (let afterMs = 200; format() === 9 && afterMs < 10_000; afterMs += 50) {
        const command = startCatalog(folder, ['sync'])
        await sleep(afterMs)
        command.signal('SIGKILL')
        await command.ended
        killed += 1
        const places = db.get(`SELECT count(*) AS total FROM skills WHERE instr(record, ',"skill":') > 0`)
        expect(places?.['total']).toBe(format() === 9 ? 0 : skills.length)
      }
      expect(format()).toBeGreaterThan(9)
      db.close()

      expect(killed).toBeGreaterThan(1)
      await withStoresOf(folder, async ({ catalog, changes }) => {
        expect(await changes.after(0, 10_000)).toEqual(before)
        expect(await catalog.listIds('skills', null, 10_000)).toEqual(skills.map(({ id }) => id).sort())
      })
      expect(await runCatalog(folder, ['sync'])).toMatchObject({ status: 0 })
      await expectInvariant(inFolder(folder))
    },
    timeoutMs,
  )
})
