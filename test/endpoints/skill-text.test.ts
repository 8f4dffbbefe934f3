import { createHash } from 'node:crypto'
import { brotliDecompressSync } from 'node:zlib'
import { describe, expect, test } from '@jest/globals'
import type { StoredSkill } from '../../shared/records/skill.js'
import { digestOf } from '../../shared/text/skill-text.js'
import { aSkill } from '../support/factories.js'
import { keepContents } from '../support/keep-contents.js'
import { callTool, mcpOverHttp } from '../support/mcp-client.js'
import { sharedTestApp } from '../support/test-app.js'

const text = `---\nname: mail\n---\n# Mail\r\n\n${'Send it — 日本 🙂.\n'.repeat(100)}`
const digest = digestOf(text)
const long = `${`${'0123456789'.repeat(299)}\n`.repeat(9)}end`
/** One line of characters of two UTF-16 units, the first of them odd. */
const faces = `x${'🙂'.repeat(15_000)}`
const url = 'https://code.example/acme/kit'

/** Of the own record of a repository, which is hidden while others in it are published. */
const hidden = 'Not for the public.'

const skills: StoredSkill[] = [
  aSkill({ owner: 'acme', repo: 'kit', state: 'hidden', digest: digestOf(hidden) }),
  aSkill({ owner: 'Acme', repo: 'Kit', skill: 'mail', path: 'skills/mail', license: 'MIT', digest, url }),
  aSkill({ owner: 'acme', repo: 'kit', skill: 'long', license: 'All rights reserved', digest: digestOf(long), url }),
  aSkill({ owner: 'acme', repo: 'faces', digest: digestOf(faces) }),
  aSkill({ owner: 'acme', repo: 'bare', url: 'https://code.example/acme/bare' }),
]

const files = [
  { path: 'SKILL.md', size: Buffer.byteLength(text), digest },
  { path: 'scripts/send.py', size: 10, digest: null },
]

const shared = sharedTestApp({ skills }, async ({ stores }) => {
  const none = { files: [], total: 0 }
  await keepContents(stores.catalog, [
    { id: 'acme/kit@mail', digest, text, files: { files, total: 2 } },
    { id: 'acme/kit@long', digest: digestOf(long), text: long, files: none },
    { id: 'acme/faces', digest: digestOf(faces), text: faces, files: none },
    { id: 'acme/kit', digest: digestOf(hidden), text: hidden, files: none },
  ])
})

const sha256 = (bytes: Buffer): string => `sha-256=:${createHash('sha256').update(bytes).digest('base64')}:`

describe('the text of a skill', () => {
  test('is its bytes, with their digest in each encoding, a strong tag and the licence of the skill', async () => {
    const path = '/api/v1/skills/ACME/kit%40Mail/SKILL.md'
    const plain = await shared().get(path, { 'Accept-Encoding': 'identity' })
    const packed = await shared().send('GET', path, { 'Accept-Encoding': 'br' })

    expect([plain.status, plain.text]).toEqual([200, text])
    expect(plain.headers).toMatchObject({
      'content-type': 'text/markdown; charset=utf-8',
      'repr-digest': sha256(Buffer.from(text)),
      'x-content-type-options': 'nosniff',
      etag: expect.stringMatching(/^"/),
      link: `<https://spdx.org/licenses/MIT.html>; rel="license", <${shared().url}/api/v1/skills/acme/kit@mail/SKILL.md>; rel="canonical"`,
    })
    expect(packed.headers).toMatchObject({ 'content-encoding': 'br', 'repr-digest': sha256(packed.bytes) })
    expect(brotliDecompressSync(packed.bytes).toString()).toBe(text)
  })

  test('names no licence that is not known', async () => {
    const { headers } = await shared().get('/api/skills/acme/kit@long/SKILL.md')

    expect(headers['link']).toBe(`<${shared().url}/api/v1/skills/acme/kit@long/SKILL.md>; rel="canonical"`)
  })

  test.each([
    ['acme/bare', 'The catalog has no text of acme/bare. Read it in its repository: https://code.example/acme/bare'],
    [
      'acme/kit',
      'The catalog has no text of acme/kit. Its repository has 2 skills: ask for one of them, such as acme/kit@long.',
    ],
  ])('of %s is not known', async (id, detail) => {
    for (const last of ['SKILL.md', 'files']) {
      const { status, body } = await shared().get(`/api/v1/skills/${id}/${last}`)
      const repository = `https://code.example/${id}`
      expect([status, body]).toEqual([404, expect.objectContaining({ code: 'skill_text_unknown', detail, repository })])
    }
  })
})

test('the text of a hidden skill is not that of its repository', async () => {
  const page = await shared().get('/skills/acme/kit')
  const answer = await callTool(await mcpOverHttp(shared().url), 'get_skill', { id: 'acme/kit' })

  expect(page.status).toBe(200)
  expect(answer.result).toMatchObject({ data: { id: 'acme/kit' }, instructions: null, files: null })
  expect(page.text + answer.text).not.toContain(hidden)
})

test('the files of a skill are listed', async () => {
  const { status, body } = await shared().get('/api/v1/skills/acme/kit@mail/files')

  expect([status, body]).toEqual([
    200,
    { data: { id: 'acme/kit@mail', path: 'skills/mail', commit: null, files, filesTotal: 2 } },
  ])
})

describe('get_skill over MCP', () => {
  const get = async (given: Record<string, unknown>) => callTool(await mcpOverHttp(shared().url), 'get_skill', given)

  test('gives the instructions', async () => {
    const { text: said, result } = await get({ id: 'acme/kit@mail' })

    expect(result).toMatchObject({ data: { id: 'acme/kit@mail' }, instructions: { text, next: null } })
    expect(said).toContain('Instructions, as written by Acme:\n\n---\nname: mail')
    expect((await get({ id: 'acme/bare' })).result).toMatchObject({ instructions: null })
  })

  test('gives a long text in parts, of whole lines', async () => {
    const first = await get({ id: 'acme/kit@long' })
    expect(first.result).toMatchObject({
      instructions: { text: long.slice(0, 17_946), next: 17_946 },
      files: [],
    })
    expect(first.text).toContain('The text goes on: call get_skill with textFrom 17946.')

    const { result } = await get({ id: 'acme/kit@long', textFrom: 17_946 })
    expect(result).toMatchObject({
      instructions: { text: long.slice(17_946), next: null },
      files: null,
      filesTotal: null,
    })
  })

  test('divides no character of a long line', async () => {
    const { result } = await get({ id: 'acme/faces' })

    expect(result).toMatchObject({ instructions: { text: faces.slice(0, 19_999), next: 19_999 } })
  })

  test.each([30_001, 200_000])('refuses a beginning after the end: %d', async (textFrom) => {
    expect(await get({ id: 'acme/faces', textFrom })).toMatchObject({
      isError: true,
      text: 'textFrom: is after the end of the instructions, which have 30001 characters.',
    })
    expect(await get({ id: 'acme/faces', textFrom: 30_000 })).toMatchObject({ isError: false })
    expect(await get({ id: 'acme/bare', textFrom })).toMatchObject({ isError: false })
  })
})
