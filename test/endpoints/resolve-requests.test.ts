import { describe, expect, test } from '@jest/globals'
import { aSkill } from '../support/factories.js'
import { exchange } from '../support/raw-exchange.js'
import { sharedTestApp, startTestApp } from '../support/test-app.js'
import { digest, json, path, resolved, send } from './resolve.js'

describe('an entry that is malformed costs that entry', () => {
  const api = sharedTestApp({ skills: [aSkill({ owner: 'acme', repo: 'kit', digest })] })

  test.each<[entry: unknown, detail: string]>([
    [null, 'The entry is no object: '],
    ['acme/kit', 'The entry is no object: '],
    [{}, 'The entry has neither id nor source: '],
    [{ id: 'kit' }, 'id: must be an id such as '],
    [{ id: 'acme/kit@' }, 'id: must be an id such as '],
    [{ id: 'https://github.com/acme/kit' }, 'id: must be an id such as '],
    [{ id: 'acme/kit', digest: 'sha1:5' }, 'digest: must be sha256: and '],
    [{ id: 'acme/kit', commit: 'main' }, 'commit: must be the 40 or 64 '],
    [{ id: 'acme/kit', updatedAt: 'soon' }, 'updatedAt: must be a time '],
    [{ id: 'acme/kit', digst: 'x' }, 'digst: is not known: '],
    [{ source: 5 }, 'source: must be text.'],
    [{ source: 'acme/kit', computedHash: 5 }, 'computedHash: must be text.'],
  ])('%j', async (entry, detail) => {
    const data = await resolved(api(), [entry, { id: 'acme/kit', digest }])

    expect(data).toMatchObject([
      { status: 'invalid', reason: 'malformed', detail: expect.stringContaining(detail), id: null, presentId: null },
      { status: 'current' },
    ])
  })

  test('odd names and sources are text', async () => {
    const odd =
      '{"__proto__":{"source":"acme/kit"},"constructor":{"source":"../..","skillPath":"../../etc/passwd"},"":{"source":""}}'
    const { status, body } = await send(api(), `{"skills":${odd}}`)

    expect({ status, names: body.data.map(({ name }: { name: string }) => name) }).toEqual({
      status: 200,
      names: ['__proto__', 'constructor', ''],
    })
  })
})

describe('a request that cannot be read is refused', () => {
  const api = sharedTestApp({ skills: [aSkill({ owner: 'acme', repo: 'kit', digest })] })

  test.each<[body: unknown, parameter: string, message: string]>([
    ['', 'body', 'is not valid JSON: send a lock file'],
    ['{"skills', 'body', 'is not valid JSON: send a lock file'],
    ['['.repeat(30_000), 'body', 'is not valid JSON'],
    ['[]', 'body', 'is JSON, but not an object: send a lock file'],
    [{}, 'skills', 'is required: give the entries'],
    [{ skills: 'acme/kit' }, 'skills', 'is no object or list: '],
    [{ skills: null }, 'skills', 'is no object or list: '],
    [{ skills: Array(201).fill({ id: 'acme/kit' }) }, 'skills', 'has 201 entries: send at most 200 at once.'],
  ])('%.40j', async (body, parameter, message) => {
    expect(await send(api(), body)).toMatchObject({
      status: 400,
      body: { code: 'invalid_parameters', errors: [{ parameter, message: expect.stringContaining(message) }] },
    })
  })

  test('by its size', async () => {
    expect(await send(api(), `{"skills":[],"x":"${'a'.repeat(262_144)}"}`)).toMatchObject({
      status: 413,
      body: { code: 'body_too_large', detail: expect.stringContaining('262144 bytes') },
    })
  })

  test('a Host that is none of a URL is refused, or is none of its own', async () => {
    const entry = { source: 'x', sourceType: 'well-known', sourceUrl: 'acme/kit', wellKnownDigest: digest }
    const body = JSON.stringify({ skills: [entry] })
    for (const host of ['a:99999', 'a%zz', '[::1']) {
      const head = `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nConnection: close`
      const { status } = await exchange(api().url, `${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
      expect({ host, status }).toEqual({ host, status: host === 'a:99999' ? 200 : 400 })
    }
  })

  test('200 entries of a lock file as npx skills writes them fit', async () => {
    const entry = {
      source: `acme/${'k'.repeat(60)}`,
      sourceType: 'github',
      sourceUrl: `https://github.com/acme/${'k'.repeat(60)}.git`,
      ref: 'a-branch-with-a-long-name',
      skillPath: `plugins/${'p'.repeat(60)}/skills/${'s'.repeat(64)}/SKILL.md`,
      skillFolderHash: 'f'.repeat(64),
      installedAt: '2026-03-01T00:00:00.000Z',
      updatedAt: '2026-03-01T00:00:00.000Z',
      pluginName: 'p'.repeat(60),
    }
    const skills = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`${'s'.repeat(60)}-${at}`, entry]))
    const { status, body } = await send(api(), JSON.stringify({ version: 3, skills }, null, 2))

    expect({ status, count: body.data.length }).toEqual({ status: 200, count: 200 })
  })
})

test('it is counted, not cached, logged without what was sent, and open to pages', async () => {
  const api = await startTestApp({ skills: [aSkill()], config: { rateLimitPerMinute: 2 } })
  const ask = () => send(api, { skills: [{ id: 'kumquat/secret' }] }, { ...json, Origin: 'https://page.example' })
  const answers = [await ask(), await ask(), await ask()]

  expect(answers.map(({ status }) => status)).toEqual([200, 200, 429])
  expect(answers[0]?.headers).toMatchObject({ 'cache-control': 'no-store', 'access-control-allow-origin': '*' })
  expect(answers[0]?.headers).not.toHaveProperty('etag')
  expect(api.logLines).toContainEqual(
    expect.objectContaining({ method: 'POST', endpoint: 'resolve-skills', status: 200 }),
  )
  expect(JSON.stringify(api.logLines)).not.toContain('kumquat')
})
