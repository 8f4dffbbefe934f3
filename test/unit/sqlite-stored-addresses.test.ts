import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { openEmbedded } from '../../shared/adapters/embedded/open-embedded.js'
import { SqliteDatabase } from '../../shared/adapters/embedded/sqlite/database.js'
import { contentHash } from '../../shared/records/content-hash.js'
import { skillOf } from '../../shared/records/skill.js'
import { canonicalJson } from '../../shared/text/format-numbers.js'
import { anOrganization, aPrompt, aSkill } from '../support/factories.js'
import { writeOldCatalog } from '../support/old-catalog.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { silentLog } from '../support/test-log.js'

test('a file of an earlier version loses its e-mail addresses when it is opened, and the change is logged', async () => {
  const folder = temporaryFolder()
  const address = 'jane@mail.example'
  const homepage = `https://acme.example/${address}`
  const clean = aSkill({ repo: 'clean', description: 'npm install @acme/clean@1.2.3' })
  const signed = aSkill({
    repo: 'signed',
    name: `Signed by ${address}`,
    topics: ['pdf', address],
    description: address,
    homepage,
  })
  const prompt = aPrompt({ id: address, content: `By ${address}`, type: address, author: 'jane&#64;mail.example' })
  const organization = anOrganization({ login: 'acme', name: 'jane&amp;#64;mail.example', url: homepage })
  await writeOldCatalog(folder, 3, {
    skills: [clean, signed],
    logged: 2,
    changes: [clean, signed].map((skill, place) => ({
      id: skill.id,
      sequence: (place + 1) * 1_000,
      contentHash: contentHash(skill),
      changedAt: '2026-01-01T00:00:00.000Z',
    })),
  })
  const db = new SqliteDatabase(join(folder, 'catalog.db'))
  db.run('INSERT INTO prompts VALUES (?, 0, ?)', [prompt.id, canonicalJson(prompt)])
  db.run('INSERT INTO organizations VALUES (?, 0, ?)', [organization.login, canonicalJson(organization)])
  db.close()
  const open = () => openEmbedded(folder, { threads: false, log: silentLog() })

  const { catalog, changes, close } = await open()
  const logged = (await changes.after(2_000, 10)).changes
  const exported = await Promise.all(
    (['skills', 'prompts', 'organizations'] as const).map((type) => catalog.exportRows(type, 10)),
  )
  const listed = await catalog.listSkills({ filters: { topics: ['pdf'] }, sort: 'name', order: 'asc', limit: 10 })
  const everything = JSON.stringify([exported, listed, logged, await catalog.computeStats()])
  await close()
  const again = await open()
  const loggedAgain = (await again.changes.after(2_000, 10)).changes
  await again.close()

  expect(logged.map(({ id }) => id)).toEqual(['acme/signed'])
  expect(exported.map(({ rows }) => rows.length)).toEqual([2, 1, 1])
  expect(listed.skills.map(skillOf)).toMatchObject([
    { name: 'Signed by (address removed)', topics: ['pdf'], description: '(address removed)', homepage: null },
  ])
  expect(everything).toContain('@acme/clean@1.2.3')
  expect(everything).not.toContain('jane')
  expect(loggedAgain).toEqual(logged)
})

test('a file of an earlier version loses credentials and invisible characters when it is opened', async () => {
  const folder = temporaryFolder()
  const open = () => openEmbedded(folder, { threads: false, log: silentLog() })
  const first = await open()
  await first.catalog.put('skills', [aSkill({ repo: 'clean' }), aSkill({ repo: 'open' }), aSkill({ repo: 'hidden' })])
  await first.catalog.put('prompts', [aPrompt({ id: 'poem' })])
  await first.catalog.put('organizations', [anOrganization({ login: 'acme' })])
  const { head } = await first.changes.bounds()
  await first.close()
  const address = 'https:///user:s3cret@10.0.0.5/x'
  const text = `See ${address} now\u{e0041}\u{e0042}`
  const db = new SqliteDatabase(join(folder, 'catalog.db'))
  const set = (table: string, id: string, members: object) => {
    const row = db.get(`SELECT record FROM ${table} WHERE id = ?`, [id])
    const record = { ...JSON.parse(String(row?.['record'])), ...members }
    db.run(`UPDATE ${table} SET record = ? WHERE id = ?`, [JSON.stringify(record), id])
  }
  set('skills', 'acme/open', { description: text, homepage: address, url: address, topics: ['pdf', 'x\u200b'] })
  set('skills', 'acme/hidden', { name: '\u{e0041}\u3164' })
  set('prompts', 'poem', { content: text, title: '\u2066', author: 'ja\u{e0041}ne', url: address })
  set('organizations', 'acme', { name: text, avatarUrl: address })
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
  await close()

  const shown = 'See https:///10.0.0.5/x now'
  expect(logged.map(({ id }) => id)).toEqual(['acme/open'])
  expect(skills).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        id: 'acme/open',
        description: shown,
        homepage: 'https://10.0.0.5/x',
        topics: ['pdf', 'x'],
      }),
      expect.objectContaining({ id: 'acme/hidden', name: 'hidden' }),
    ]),
  )
  expect(prompts).toMatchObject([{ content: shown, title: '…', author: 'jane', url: 'https://10.0.0.5/x' }])
  expect(organizations).toMatchObject([{ name: shown, avatarUrl: 'https://10.0.0.5/x' }])
})
