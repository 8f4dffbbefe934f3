import { describe, expect, test } from '@jest/globals'
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills'
import type { SkillContent } from '../../shared/ports/skill-texts.js'
import type { StoredSkill } from '../../shared/records/skill.js'
import { digestOf } from '../../shared/text/skill-text.js'
import { aSkill } from '../support/factories.js'
import { keepContents } from '../support/keep-contents.js'
import { mcpOverHttp } from '../support/mcp-client.js'
import { sharedTestApp, startTestApp } from '../support/test-app.js'

/** A SKILL.md with this front matter. */
const written = (lines: string[]): string => `---\n${lines.join('\n')}\n---\n# Title\n\nText — 日本.\r\n`
const named = (name: string, ...others: string[]): string =>
  written([`name: ${name}`, 'description: Does it.', ...others])

/** A skill, and its content of this text and so many files. */
function whole(
  overrides: Partial<StoredSkill>,
  text: string,
  total = 1,
): { skill: StoredSkill; content: SkillContent } {
  const digest = digestOf(text)
  const skill = aSkill({ owner: 'Acme', repo: 'Kit', updatedAt: null, ...overrides, digest })
  return { skill, content: { id: skill.id, digest, text, files: { files: [], total } } }
}

const mail = named('mail', 'license: MIT', 'metadata:', '  version: "1.10"', 'since: 2026-01-02')

const kept = [
  whole({ skill: 'mail', stars: 9, updatedAt: '2024-01-02T00:00:00.000Z' }, mail),
  whole({ skill: 'more', stars: 8 }, named('more'), 2),
  whole({ skill: 'other', stars: 7 }, named('another')),
  whole({ skill: 'bare', stars: 6 }, '# Title\n'),
  whole({ skill: 'long', stars: 5 }, written(['name: long', `description: ${'a'.repeat(1_025)}`])),
  whole({ skill: 'broken', stars: 4 }, written(['name: broken', 'description: "Does'])),
  whole({ skill: 'numbers', stars: 3 }, written(['name: numbers', 'description: 7'])),
  ...['\\e[2J', '\\u202e', 'jane\\x40acme.example', '\\ud800', '\\r'].map((hidden, at) =>
    whole({ skill: `hides-${at}`, stars: 3 }, written([`name: hides-${at}`, `description: "Does ${hidden} it."`])),
  ),
  whole({ skill: 'hides', stars: 3 }, named('hides', 'metadata:', '  - "a\\u200bb": c')),
  whole({ skill: 'nested', stars: 2 }, named('nested', 'metadata:', '  tags: [a, b, "\\U0001F600 \\x40acme/kit"]')),
  whole({ skill: 'hidden', state: 'hidden' }, named('hidden')),
  whole({ skill: 'last', stars: 1 }, named('last').replaceAll('\n', '\r\n')),
  whole({ repo: 'own' }, named('lift-tables')),
  whole({ repo: 'twin', updatedAt: '2024-01-01T00:00:00.000Z' }, named('mail')),
]

const shared = sharedTestApp(
  {
    skills: [...kept.map(({ skill }) => skill), aSkill({ owner: 'acme', repo: 'kit-2', formerIds: ['acme/old'] })],
  },
  ({ stores }) =>
    keepContents(
      stores.catalog,
      kept.map(({ content }) => content),
    ),
)

const index = '.well-known/agent-skills/index.json'
const names = (body: unknown) => (body as { skills: { name: string }[] }).skills.map(({ name }) => name)

describe('the index of a repository', () => {
  test('has the skills that consist of a SKILL.md which its clients take, the most starred first', async () => {
    const { status, body } = await shared().get(`/skills/ACME/kit/${index}?utm_source=x`)

    expect(status).toBe(200)
    expect(names(body)).toEqual(['mail', 'nested', 'last'])
    const { skills, $schema } = body as { $schema: string; skills: unknown[] }
    expect($schema).toBe('https://schemas.agentskills.io/discovery/0.2.0/schema.json')
    expect(skills[0]).toEqual({
      name: 'mail',
      type: 'skill-md',
      description: 'Does it.',
      url: '/api/v1/skills/acme/kit@mail/SKILL.md',
      digest: digestOf(mail),
      id: 'acme/kit@mail',
      size: Buffer.byteLength(mail),
      frontmatter: {
        ...{ name: 'mail', description: 'Does it.', license: 'MIT', since: '2026-01-02' },
        metadata: { version: '1.10' },
      },
    })
  })

  test('names texts that have these digests', async () => {
    const { body } = await shared().get(`/skills/acme/kit/${index}`)
    for (const { url, digest } of (body as { skills: { url: string; digest: string }[] }).skills) {
      const { bytes } = await shared().send('GET', url, { 'Accept-Encoding': 'identity' })
      expect(digestOf(bytes)).toBe(digest)
    }
  })

  test('is that of one skill below its page, and of a skill that is a repository', async () => {
    expect(names((await shared().get(`/skills/acme/kit@mail/${index}`)).body)).toEqual(['mail'])
    expect(names((await shared().get(`/skills/acme/own/${index}`)).body)).toEqual(['lift-tables'])
    expect(names((await shared().get(`/skills/acme/kit@more/${index}`)).body)).toEqual([])
  })
})

test('the index of the catalog has the newest, each name once', async () => {
  const { body } = await shared().get(`/${index}`)
  expect((body as { skills: { id: string }[] }).skills.map(({ id }) => id)).toEqual([
    'acme/kit@last',
    'acme/kit@nested',
    'acme/own',
    'acme/kit@mail',
  ])
})

test('the index of the catalog has skills without a time of change, however many with one have no text', async () => {
  const bare = Array.from({ length: 100 }, (_, at) =>
    aSkill({ repo: `bare-${at}`, updatedAt: '2026-01-01T00:00:00.000Z' }),
  )
  const dated = whole({ skill: 'dated', updatedAt: '2020-01-01T00:00:00.000Z' }, named('dated'))
  const undated = whole({ skill: 'undated' }, named('undated'))
  const api = await startTestApp({ skills: [...bare, dated.skill, undated.skill] })
  await keepContents(api.stores.catalog, [dated.content, undated.content])
  expect(names((await api.get(`/${index}`)).body)).toEqual(['undated'])
})

test('a check for updates is not answered by the index of the newest, but by that of a page', async () => {
  const check = { 'X-Skills-Update-Check': '1' }
  const { status, body, headers } = await shared().get(`/${index}`, check)
  expect([status, (body as { code: string }).code]).toEqual([404, 'skills_index_partial'])
  expect(headers['cache-control']).toBe('no-store')
  expect((await shared().get(`/${index}`)).headers['cache-control']).toBe('no-store')
  expect(names((await shared().get(`/skills/acme/kit/${index}`, check)).body)).toEqual(['mail', 'nested', 'last'])
})

test('an index has at most 50 skills, that of the catalog 20', async () => {
  const many = Array.from({ length: 70 }, (_, at) => whole({ skill: `skill-${at}` }, named(`skill-${at}`)))
  const api = await startTestApp({ skills: many.map(({ skill }) => skill) })
  await keepContents(
    api.stores.catalog,
    many.map(({ content }) => content),
  )
  expect(names((await api.get(`/${index}`)).body)).toHaveLength(20)
  expect(names((await api.get(`/skills/acme/kit/${index}`)).body)).toHaveLength(50)
})

describe('over MCP', () => {
  const connect = async (revision?: '2025-11-25') => new SkillsClient(await mcpOverHttp(shared().url, revision))

  test.each(['2025-11-25', undefined] as const)(
    'a client lists, gets, reads and verifies skills: %s',
    async (revision) => {
      const client = await connect(revision)
      expect(client.supported).toBe(true)
      const { skills, invalid } = await client.list({})
      expect(invalid).toEqual([])
      expect(skills.map(({ uri }) => uri).sort()).toEqual([
        'skill://acme/kit/last/SKILL.md',
        'skill://acme/kit/mail/SKILL.md',
        'skill://acme/own/lift-tables/SKILL.md',
      ])
      for (const skill of skills) {
        expect((await client.get(skill.uri)).skill).toEqual(skill)
        expect(await client.read(skill)).toMatchObject({ verified: true, mimeType: 'text/markdown' })
      }
      const { skill } = await client.get('skill://acme/kit/mail/SKILL.md')
      expect((await client.read(skill)).text).toBe(mail)
    },
  )

  test('a skill that is not listed is answered as well', async () => {
    const client = await connect()
    const { skill } = await client.get('skill://acme/twin/mail/SKILL.md')
    expect(await client.read(skill)).toMatchObject({ verified: true, frontmatter: { name: 'mail' } })
  })

  test.each([
    'skill://acme/kit/more/SKILL.md',
    'skill://acme/kit/another/SKILL.md',
    'skill://acme/kit/hidden/SKILL.md',
    'skill://acme/kit/nested/SKILL.md',
    'skill://acme/kit@mail/SKILL.md',
    'skill://acme/kit/mail/scripts/send.py',
    'skill://acme/own/own/SKILL.md',
    'skill://Acme/kit/mail/SKILL.md',
    'other://acme/kit/mail/SKILL.md',
  ])('no skill: %s', async (uri) => {
    const client = await mcpOverHttp(shared().url)
    await expect(new SkillsClient(client).get(uri)).rejects.toMatchObject({ code: -32_602 })
    await expect(client.readResource({ uri })).rejects.toMatchObject({ code: -32_602 })
  })
})
