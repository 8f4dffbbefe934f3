import { hash } from 'node:crypto'
import { beforeEach, describe, expect, test } from '@jest/globals'
import type { Catalog } from '../../shared/ports/catalog.js'
import type { ChangeLog } from '../../shared/ports/change-log.js'
import type { StoredSkill } from '../../shared/records/skill.js'
import { digestOf } from '../../shared/text/skill-text.js'
import { openCrawledCatalog } from '../support/crawled-catalog.js'
import { aSkill } from '../support/factories.js'
import { intercepted } from '../support/job-bench.js'
import { exchange } from '../support/raw-exchange.js'
import { whenServer } from '../support/servers.js'
import { sharedTestApp, startTestApp, type TestApp } from '../support/test-app.js'

const path = '/api/v1/resolve'
const json = { 'Content-Type': 'application/json' }

async function send(api: TestApp, body: unknown, headers: Record<string, string> = json, query = '') {
  const sent = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body)
  const answer = await fetch(`${api.url}${path}${query}`, { method: 'POST', headers, body: sent as BodyInit })
  const text = await answer.text()
  return { status: answer.status, headers: Object.fromEntries(answer.headers), text, body: JSON.parse(text) }
}

/** The answer to these entries: a lock file's, by name, or a list. */
async function resolved(api: TestApp, skills: object): Promise<Record<string, unknown>[]> {
  const { status, body } = await send(api, { version: 3, skills, dismissed: {}, lastSelectedAgents: ['x'] })
  expect({ status, body }).toMatchObject({ status: 200 })
  return body.data
}

/** The stores of a mode. */
interface ResolveStores {
  catalog: Catalog
  changes: ChangeLog
  /** Has everything logged that was written. */
  ingest(): Promise<unknown>
}

const commit = 'a'.repeat(40)
const text = '---\nname: pdf\ndescription: Reads PDF\n---\n# PDF\n'
const digest = digestOf(text)
const otherDigest = digestOf('another text')
const timed = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

const github = { source: 'Acme/Kit', sourceType: 'github' }

resolveSuite('embedded', null)
whenServer('mongodb', (url) => resolveSuite('servers', () => openCrawledCatalog(url())))

/** @param open opens the stores of a mode; null: those that the app under test has anyway */
function resolveSuite(mode: string, open: (() => Promise<ResolveStores>) | null): void {
  describe(`resolve, ${mode}`, () => {
    let api: TestApp
    let stores: ResolveStores
    beforeEach(async () => {
      const opened = (await open?.()) ?? null
      api = await startTestApp(opened === null ? {} : { replace: () => ({ ...opened }) })
      stores = opened ?? { ...api.stores, ingest: async () => undefined }
    })

    const put = async (...skills: Partial<StoredSkill>[]) => {
      await stores.catalog.put(
        'skills',
        skills.map((skill) => aSkill({ url: null, ...skill })),
      )
      await stores.ingest()
    }
    /** Publishes acme/kit@pdf, with nothing but this text. */
    const putPdf = async (written = text, kept = written, total = 1, more: Partial<StoredSkill> = {}) => {
      const skill = { owner: 'Acme', repo: 'Kit', skill: 'pdf', path: 'skills/pdf', digest: digestOf(written), ...more }
      await put(skill)
      const file = { path: 'SKILL.md', size: Buffer.byteLength(written), digest: digestOf(written) }
      const content = { id: 'acme/kit@pdf', digest: digestOf(written), text: kept, files: { files: [file], total } }
      await stores.catalog.keepContents([content])
      await stores.ingest()
    }
    const one = async (entry: object): Promise<Record<string, unknown>> =>
      (await resolved(api, { pdf: entry }))[0] as Record<string, unknown>

    test('an id with its digest or commit is current, or outdated; with the present facts', async () => {
      await put({ owner: 'Acme', repo: 'Kit', skill: 'pdf', digest, commit, version: '2.1' })
      const facts = { id: 'acme/kit@pdf', presentId: 'acme/kit@pdf', version: '2.1', commit, digest, changedAt: timed }
      const current = { ...facts, status: 'current', isSame: true, reason: null, detail: null }

      expect(
        await resolved(api, [
          { id: 'Acme/Kit@pdf', digest },
          { id: 'acme/kit/pdf', digest: digest.slice(7).toUpperCase(), name: 'mine' },
          { id: 'acme/kit@PDF', commit: commit.toUpperCase(), digest: otherDigest },
          { id: 'acme/kit@pdf', digest: otherDigest },
        ]),
      ).toEqual([
        { ...current, name: null, compared: 'digest' },
        { ...current, name: 'mine', compared: 'digest' },
        { ...current, name: null, compared: 'commit' },
        { ...current, name: null, compared: 'digest', status: 'outdated', isSame: false },
      ])
    })

    test('without evidence nothing is current or outdated, and the reason says what is missing', async () => {
      await put({ owner: 'acme', repo: 'full', digest, commit }, { owner: 'acme', repo: 'bare' })
      const reasons = async (...entries: object[]) =>
        (await resolved(api, entries)).map(({ status, reason, compared, presentId }) => [
          status,
          reason,
          compared,
          presentId,
        ])

      expect(
        await reasons(
          { id: 'acme/full' },
          { id: 'acme/full', commit: 'b'.repeat(40) },
          { id: 'acme/bare', digest },
          { id: 'acme/bare', commit },
          { id: 'acme/nothing', digest },
          { ...github, source: 'acme/full', skillPath: 'SKILL.md', computedHash: 'f'.repeat(64) },
        ),
      ).toEqual([
        ['unknown', 'nothing_given', null, 'acme/full'],
        ['unknown', 'other_commit', 'commit', 'acme/full'],
        ['unknown', 'nothing_known', null, 'acme/bare'],
        ['unknown', 'nothing_known', null, 'acme/bare'],
        ['unknown', 'not_listed', null, null],
        ['unknown', 'folder_hash', null, 'acme/full'],
      ])
    })

    test('a copy that is newer than the record, or pinned to a ref, is not outdated', async () => {
      const updatedAt = '2026-03-01T00:00:00.000Z'
      await put({ owner: 'acme', repo: 'kit', skill: 'pdf', digest, updatedAt, commit })
      const entry = { ...github, contentHash: otherDigest.slice(7) }
      const reasonOf = async (more: object) => {
        const { status, reason } = await one({ ...entry, ...more })
        return [status, reason]
      }

      expect(await reasonOf({ updatedAt: '2026-03-02T00:00:00Z' })).toEqual(['unknown', 'newer_than_record'])
      expect(await reasonOf({ updatedAt: '2026-02-28T23:59:59.000Z' })).toEqual(['outdated', null])
      expect(await reasonOf({ updatedAt: 'yesterday' })).toEqual(['outdated', null])
      expect(await reasonOf({ ref: 'v1.2' })).toEqual(['unknown', 'pinned'])
      expect(await reasonOf({ ref: 'main' })).toEqual(['outdated', null])
      expect(await reasonOf({ ref: commit })).toEqual(['current', null])
    })

    test('a renamed skill has its present id and whether the copy is the same; removed and hidden ones a date', async () => {
      const ids = ['gone', 'secret', 'old', 'always-secret', 'replaced']
      await put(
        ...ids.map((repo) => ({
          repo,
          state: repo === 'always-secret' ? ('hidden' as const) : ('published' as const),
        })),
      )
      await stores.catalog.remove('skills', ['acme/gone'])
      await stores.catalog.setStates('skills', [
        { id: 'acme/secret', state: 'hidden', removedAt: null },
        { id: 'acme/old', state: 'hidden', removedAt: null },
      ])
      await put({ owner: 'beta', repo: 'new', digest, formerIds: ['acme/old', 'acme/older'] })
      const data = await resolved(api, [
        { id: 'acme/old', digest },
        { id: 'acme/older', digest: otherDigest },
        { id: 'acme/gone', digest },
        { id: 'acme/secret', digest },
        { id: 'acme/always-secret', digest },
      ])
      const nothing = { presentId: null, version: null, commit: null, digest: null, isSame: null, compared: null }

      expect(data).toMatchObject([
        { status: 'renamed', presentId: 'beta/new', digest, isSame: true, changedAt: timed },
        { status: 'renamed', presentId: 'beta/new', digest, isSame: false, changedAt: null },
        { id: 'acme/gone', status: 'removed', ...nothing, reason: null, changedAt: timed },
        { id: 'acme/secret', status: 'hidden', ...nothing, reason: null, changedAt: timed },
        // Nobody has ever seen it: it is answered as one that never was.
        { id: 'acme/always-secret', status: 'unknown', ...nothing, reason: 'not_listed', changedAt: null },
      ])
    })

    test('nothing of a hidden skill is answered', async () => {
      const secret = { owner: 'acme', repo: 'secret', digest, commit, version: '9.9.9', path: 'skills/quagga' }
      await put(secret)
      await put({ ...secret, state: 'hidden' })
      const { text: answered } = await send(api, { skills: [{ id: 'acme/secret', digest, commit }] })

      expect(JSON.parse(answered).data).toMatchObject([{ status: 'hidden', isSame: null, compared: null }])
      expect(answered).not.toMatch(new RegExp(`9\\.9\\.9|quagga|${commit}|${digest}`))
    })

    describe('an entry of a lock file', () => {
      test('is found by name, by its folder, and as the skill of the whole repository', async () => {
        await put(
          { owner: 'Acme', repo: 'Kit', skill: 'pdf', path: 'skills/pdf' },
          { owner: 'Acme', repo: 'Kit', skill: 'mail', path: 'skills/mail' },
          { owner: 'beta', repo: 'own', path: '' },
          { owner: 'beta', repo: 'plain', name: 'Plain Text' },
        )
        const data = await resolved(api, {
          pdf: { ...github, skillPath: 'skills/pdf/SKILL.md' },
          'Send Letters': { ...github, skillPath: 'skills/mail/SKILL.md' },
          'any name': { source: 'beta/own', sourceType: 'github', skillPath: 'SKILL.md' },
          'plain-text': { source: 'beta/plain', sourceType: 'github', sourceUrl: 'https://github.com/beta/plain.git' },
          plain: { source: 'beta/plain', sourceType: 'github' },
          other: { source: 'beta/plain', sourceType: 'github' },
          elsewhere: { source: 'beta/own', sourceType: 'github', skillPath: 'skills/elsewhere/SKILL.md' },
        })

        expect(data.map(({ name, presentId }) => [name, presentId])).toEqual([
          ['pdf', 'acme/kit@pdf'],
          ['Send Letters', 'acme/kit@mail'],
          ['any name', 'beta/own'],
          ['plain-text', 'beta/plain'],
          ['plain', 'beta/plain'],
          ['other', null],
          ['elsewhere', null],
        ])
      })

      test.each([
        ['git@github.com:Acme/Kit.git', 'git'],
        ['https://gitlab.com/acme/kit.git', 'gitlab'],
        ['ssh://git@code.example/acme/kit.git', 'git'],
        ['https://code.example/acme/kit', 'git'],
        ['acme/kit', undefined],
      ])('of the source %s (%s) is found', async (source, sourceType) => {
        await put({ owner: 'acme', repo: 'kit', skill: 'pdf' })

        expect(await one({ source, sourceType })).toMatchObject({ presentId: 'acme/kit@pdf' })
      })

      test('of another host than that of the record is another skill', async () => {
        await put({ owner: 'acme', repo: 'kit', skill: 'pdf', url: 'https://gitlab.com/acme/kit' })
        const from = (sourceUrl: string) => one({ source: 'acme/kit', sourceType: 'git', sourceUrl })

        expect(await from('https://github.com/acme/kit.git')).toMatchObject({ reason: 'not_listed', presentId: null })
        expect(await from('https://gitlab.com/acme/kit.git')).toMatchObject({ presentId: 'acme/kit@pdf' })
      })

      test.each(['local', 'node_modules', 'download', 'well-known'])(
        'from %s is of no repository',
        async (sourceType) => {
          await put({ owner: 'acme', repo: 'kit', skill: 'pdf' })

          expect(await one({ source: 'acme/kit', sourceType, sourceUrl: '/home/me/secret' })).toMatchObject({
            status: 'unknown',
            reason: 'other_source',
            id: null,
          })
        },
      )

      test('that was installed from an address of this service is compared by the digest of its index', async () => {
        await putPdf(`${text}Write to me@mail.example\n`, `${text}Write to (address removed)\n`)
        const served = digestOf(`${text}Write to (address removed)\n`)
        const entry = { source: '127.0.0.1', sourceType: 'well-known', wellKnownDigest: served }
        const statusAt = async (more: object) => {
          const { status, compared } = await one({ ...entry, ...more })
          return [status, compared]
        }

        const own = `${api.url}/api/v1/skills/acme/kit@pdf/SKILL.md`
        expect(await statusAt({ sourceUrl: own, skillFolderHash: '' })).toEqual(['current', 'digest'])
        expect(await statusAt({ sourceUrl: `${api.url}/skills/acme/kit` })).toEqual(['current', 'digest'])
        expect(await statusAt({ sourceUrl: own, wellKnownDigest: otherDigest })).toEqual(['outdated', 'digest'])
        expect(await statusAt({ sourceUrl: own.replace('127.0.0.1', 'other.example') })).toEqual(['unknown', null])
        api = await startTestApp({ config: { publicUrl: 'https://catalog.example' }, replace: () => ({ ...stores }) })
        const [publicly, directly] = ['https://catalog.example', api.url].map((at) => `${at}/skills/acme/kit`)
        expect(await statusAt({ sourceUrl: publicly })).toEqual(['current', 'digest'])
        expect(await statusAt({ sourceUrl: directly })).toEqual(['current', 'digest'])
      })

      test('has a hash of its folder, which proves that it is the same where there is nothing but the SKILL.md', async () => {
        await putPdf()
        const folder = (written: string) => hash('sha256', `SKILL.md${written}`)
        const compared = async (more: object) => {
          const { status, compared: by } = await one({ ...github, skillPath: 'skills/pdf/SKILL.md', ...more })
          return [status, by]
        }

        expect(await compared({ computedHash: folder(text) })).toEqual(['current', 'folder'])
        // As git for Windows checks it out.
        expect(await compared({ skillFolderHash: folder(text.replaceAll('\n', '\r\n')) })).toEqual([
          'current',
          'folder',
        ])
        // Of `git write-tree` of a folder with this file.
        expect(await compared({ skillFolderHash: 'cd54e597d7a827d6003abd8078835d7b6cebebe0' })).toEqual([
          'current',
          'folder',
        ])
        expect(await compared({ computedHash: folder('other') })).toEqual(['unknown', null])
        expect(await compared({ computedHash: 'not a hash' })).toEqual(['unknown', null])

        await putPdf(text, text, 2)
        expect(await compared({ computedHash: folder(text) })).toEqual(['unknown', null])
      })

      test('with a digest of the text as it is answered, or with other line ends, is current', async () => {
        await putPdf()
        const status = async (written: string) => (await one({ ...github, digest: digestOf(written) }))['status']

        expect(await status(text.replaceAll('\n', '\r\n'))).toBe('current')
        expect(await status(`${text}\n`)).toBe('outdated')
      })
    })

    test('200 entries of any kind take a few reads', async () => {
      await putPdf()
      await put({ owner: 'beta', repo: 'new', formerIds: ['acme/old'] })
      const calls: string[] = []
      const counted = <Port extends object>(port: Port): Port =>
        intercepted(port, (name, call) => (...args) => {
          calls.push(name)
          return call(...args)
        })
      const other = await startTestApp({
        replace: () => ({ catalog: counted(stores.catalog), changes: counted(stores.changes) }),
      })
      const entries = Array.from({ length: 200 }, (_, at) =>
        at % 3 === 0
          ? { ...github, computedHash: 'f'.repeat(64), name: 'pdf', skillPath: 'skills/pdf/SKILL.md' }
          : { id: at % 3 === 1 ? 'acme/old' : `acme/none-${at}`, digest: otherDigest },
      )

      expect(await resolved(other, entries)).toHaveLength(200)
      expect(calls).toEqual(['findSkills', 'findSkills', 'entriesOf', 'readWholeTexts'])
      expect(await resolved(other, {})).toEqual([])
    })
  })
}

describe('an entry that is malformed costs that entry', () => {
  const api = sharedTestApp({ skills: [aSkill({ owner: 'acme', repo: 'kit', digest })] })

  test.each<[entry: unknown, detail: string]>([
    [null, 'The entry is no object: '],
    [5, 'The entry is no object: '],
    ['acme/kit', 'The entry is no object: '],
    [[], 'The entry is no object: '],
    [{}, 'The entry has neither id nor source: '],
    [{ id: 5 }, 'id: must be an id such as '],
    [{ id: 'kit' }, 'id: must be an id such as '],
    [{ id: 'acme/kit@' }, 'id: must be an id such as '],
    [{ id: 'https://github.com/acme/kit' }, 'id: must be an id such as '],
    [{ id: 'acme/kit', digest: 'sha1:5' }, 'digest: must be sha256: and '],
    [{ id: 'acme/kit', digest: 5 }, 'digest: must be sha256: and '],
    [{ id: 'acme/kit', commit: 'main' }, 'commit: must be the 40 or 64 '],
    [{ id: 'acme/kit', updatedAt: 'soon' }, 'updatedAt: must be a time '],
    [{ id: 'acme/kit', digst: 'x' }, 'digst: is not known: '],
    [{ source: 5 }, 'source: must be text.'],
    [{ source: 'acme/kit', computedHash: 5 }, 'computedHash: must be text.'],
    [{ source: 'acme/kit', digest: 'x' }, 'digest: must be sha256: and '],
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
    ['null', 'body', 'is JSON, but not an object'],
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

  test('by its form, its size and its method', async () => {
    const body = { skills: [{ id: 'acme/kit' }] }
    expect(await send(api(), body, { 'Content-Type': 'text/plain' })).toMatchObject({
      status: 415,
      headers: { accept: 'application/json' },
      body: { code: 'unsupported_media_type' },
    })
    expect(await send(api(), body, { ...json, 'Content-Encoding': 'gzip' })).toMatchObject({ status: 415 })
    expect(await send(api(), Buffer.from([0x7b, 0xff, 0x7d]))).toMatchObject({
      status: 400,
      body: { code: 'malformed_request' },
    })
    expect(await send(api(), `{"skills":[],"x":"${'a'.repeat(262_144)}"}`)).toMatchObject({
      status: 413,
      body: { code: 'body_too_large', detail: expect.stringContaining('262144 bytes') },
    })
    expect(await send(api(), body, json, '?limit=1')).toMatchObject({
      status: 400,
      body: { errors: [{ parameter: 'limit', message: 'is not known: this endpoint takes no parameters.' }] },
    })
    expect(await api().get(path)).toMatchObject({ status: 405, headers: { allow: 'POST, OPTIONS' } })
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
  const ask = () => send(api, { skills: [{ id: 'kumquat/secret' }] }, { ...json, Origin: 'null' })
  const answers = [await ask(), await ask(), await ask()]

  expect(answers.map(({ status }) => status)).toEqual([200, 200, 429])
  expect(answers[0]?.headers).toMatchObject({ 'cache-control': 'no-store', 'access-control-allow-origin': '*' })
  expect(answers[0]?.headers).not.toHaveProperty('etag')
  expect(api.logLines).toContainEqual(
    expect.objectContaining({ method: 'POST', endpoint: 'resolve-skills', status: 200 }),
  )
  expect(JSON.stringify(api.logLines)).not.toContain('kumquat')
})
