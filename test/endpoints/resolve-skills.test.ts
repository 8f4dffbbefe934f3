import { hash } from 'node:crypto'
import { beforeEach, describe, expect, test } from '@jest/globals'
import type { StoredSkill } from '../../shared/records/skill.js'
import { digestOf } from '../../shared/text/skill-text.js'
import { openCrawledCatalog } from '../support/crawled-catalog.js'
import { aSkill } from '../support/factories.js'
import { intercepted } from '../support/job-bench.js'
import { keepContents } from '../support/keep-contents.js'
import { whenServer } from '../support/servers.js'
import { startTestApp, type TestApp } from '../support/test-app.js'
import { commit, digest, github, otherDigest, type ResolveStores, resolved, text, timed } from './resolve.js'

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
      await keepContents(stores.catalog, [content])
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
          ...{ repo, digest, commit, version: '9.9.9' },
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

      test('is found by any form of its source', async () => {
        await put({ owner: 'acme', repo: 'kit', skill: 'pdf' })
        const sources = [
          ['git@github.com:Acme/Kit.git', 'git'],
          ['https://gitlab.com/acme/kit.git', 'gitlab'],
          ['ssh://git@code.example/acme/kit.git', 'git'],
          ['https://code.example/acme/kit', 'git'],
          ['acme/kit', undefined],
        ]
        const entries = sources.map(([source, sourceType]) => ({ name: 'pdf', source, sourceType }))

        const found = (await resolved(api, entries)).map(({ presentId }, at) => [sources[at]?.[0], presentId])
        expect(found).toEqual(sources.map(([source]) => [source, 'acme/kit@pdf']))
      })

      test('of another host than that of the record is another skill', async () => {
        await put({ owner: 'acme', repo: 'kit', skill: 'pdf', url: 'https://gitlab.com/acme/kit' })
        const from = (sourceUrl: string) => one({ source: 'acme/kit', sourceType: 'git', sourceUrl })

        expect(await from('https://github.com/acme/kit.git')).toMatchObject({ reason: 'not_listed', presentId: null })
        expect(await from('https://gitlab.com/acme/kit.git')).toMatchObject({ presentId: 'acme/kit@pdf' })
      })

      test('from elsewhere is of no repository', async () => {
        await put({ owner: 'acme', repo: 'kit', skill: 'pdf' })
        const types = ['local', 'node_modules', 'download', 'well-known']
        const entry = { name: 'pdf', source: 'acme/kit', sourceUrl: '/home/me/secret' }

        const data = await resolved(
          api,
          types.map((sourceType) => ({ ...entry, sourceType })),
        )
        expect(data).toMatchObject(types.map(() => ({ status: 'unknown', reason: 'other_source', id: null })))
      })

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
