import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { openEmbedded } from '../../shared/adapters/embedded/open-embedded.js'
import { SqliteDatabase } from '../../shared/adapters/embedded/sqlite/database.js'
import { skillOf } from '../../shared/records/skill.js'
import { anOrganization, aPrompt, aSkill } from '../support/factories.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { silentLog } from '../support/test-log.js'

test('a file of an earlier version loses addresses, credentials and invisible characters when it is opened, and the change is logged', async () => {
  const folder = temporaryFolder()
  const open = () => openEmbedded(folder, { threads: false, log: silentLog() })
  const first = await open()
  await first.catalog.put('skills', [
    aSkill({ repo: 'clean', description: 'npm install @acme/clean@1.2.3' }),
    ...['open', 'signed', 'hidden'].map((repo) => aSkill({ repo, topics: repo === 'hidden' ? [] : ['pdf'] })),
  ])
  await first.catalog.put('prompts', [aPrompt({ id: 'poem' }), aPrompt({ id: 'letter' })])
  await first.catalog.put('organizations', [anOrganization({ login: 'acme' })])
  const { head } = await first.changes.bounds()
  await first.close()
  const mail = 'jane@mail.example'
  const address = 'https:///user:s3cret@10.0.0.5/x'
  const text = `See ${address} now\u{e0041}\u{e0042}`
  const db = new SqliteDatabase(join(folder, 'catalog.db'))
  const set = (table: string, id: string, members: object) => {
    const row = db.get(`SELECT record FROM ${table} WHERE id = ?`, [id])
    const record = { id, ...JSON.parse(String(row?.['record'])), ...members }
    db.run(`UPDATE ${table} SET id = ?, record = ? WHERE id = ?`, [String(record.id), JSON.stringify(record), id])
  }
  set('skills', 'acme/open', { description: text, homepage: address, url: address, topics: ['pdf', 'x\u200b'] })
  set('skills', 'acme/signed', { name: `By ${mail}`, topics: [mail, 'pdf'], homepage: `https://a.example/${mail}` })
  set('skills', 'acme/hidden', { name: '\u{e0041}\u3164' })
  set('prompts', 'poem', { content: text, title: '\u2066', author: 'ja\u{e0041}ne', url: address })
  set('prompts', 'letter', { id: mail, content: `By ${mail}`, type: mail, author: 'jane&#64;mail.example' })
  set('organizations', 'acme', { name: text, description: 'jane&amp;#64;mail.example', avatarUrl: address })
  db.exec(
    `ALTER TABLE change_log DROP COLUMN catalog; ALTER TABLE change_log DROP COLUMN file;
     DROP TABLE texts; DROP TABLE skill_texts; DELETE FROM facet_totals WHERE facet = 'r'; PRAGMA user_version = 7`,
  )
  db.close()

  const { catalog, changes, close } = await open()
  const logged = (await changes.after(head, 10)).changes
  const [skills, prompts, organizations] = await Promise.all(
    (['skills', 'prompts', 'organizations'] as const).map(async (type) => (await catalog.exportRows(type, 10)).rows),
  )
  const listed = await catalog.listSkills({ filters: { topics: ['pdf'] }, sort: 'name', order: 'asc', limit: 10 })
  const everything = JSON.stringify([skills, prompts, organizations, logged, await catalog.computeStats()])
  await close()
  const again = await open()
  const loggedAgain = (await again.changes.after(head, 10)).changes
  await again.close()

  const shown = 'See https:///10.0.0.5/x now'
  expect(logged.map(({ id }) => id).sort()).toEqual(['acme/open', 'acme/signed'])
  expect(loggedAgain).toEqual(logged)
  expect(listed.skills.map(skillOf)).toMatchObject([
    { name: 'By (address removed)', topics: ['pdf'], homepage: null },
    { id: 'acme/open', description: shown, homepage: 'https://10.0.0.5/x', topics: ['pdf', 'x'] },
  ])
  expect(skills).toContainEqual(expect.objectContaining({ id: 'acme/hidden', name: 'hidden' }))
  expect(prompts).toHaveLength(2)
  expect(prompts).toContainEqual(
    expect.objectContaining({ content: shown, title: '…', author: 'jane', url: 'https://10.0.0.5/x' }),
  )
  expect(organizations).toMatchObject([{ name: shown, avatarUrl: 'https://10.0.0.5/x' }])
  expect(everything).toContain('@acme/clean@1.2.3')
  expect(everything).not.toMatch(/mail\.example|s3cret/)
})
