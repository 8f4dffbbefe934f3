import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { catchUp, copySnapshot } from '../../services/indexer/mirror/copy.js'
import { readMirrorState } from '../../services/indexer/mirror/mirror.js'
import { readPublicKey, readSigner } from '../../services/indexer/signing/minisign.js'
import type { Catalog } from '../../shared/ports/catalog.js'
import { aPrompt, aSkill } from '../support/factories.js'
import { newMinisignKey } from '../support/minisign-key.js'
import { mirror, openMirror, skillsIn, skillsOf, startSource } from '../support/mirror.js'
import { startHttpRelay } from '../support/relays.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { sharedTestApp, type TestApp } from '../support/test-app.js'

/** A relay that changes texts on the way, and statuses. */
async function changing(target: string, change: (path: string, text: string) => string | [number, string]) {
  const relay = await startHttpRelay(target)
  relay.script = async ({ path }, forward) => {
    const { status: own, headers, body } = await forward()
    const changed = change(path, body.toString())
    const [status, text] = typeof changed === 'string' ? [own, changed] : changed
    return { status, headers: { ...headers, 'content-length': String(Buffer.byteLength(text)) }, body: text }
  }
  return relay
}

const skills = [aSkill({ repo: 'one' }), aSkill({ repo: 'two' })]
const prompts = [aPrompt()]
const { secretKeyFile, publicKeyFile, publicKey } = newMinisignKey()
const signer = readSigner(secretKeyFile)
const key = ['--public-key', publicKey]

/** Publishes a signed snapshot, and then changes that are not those of it. */
async function forge({ publishExports, stores }: TestApp): Promise<void> {
  await publishExports(signer)
  await stores.catalog.put('skills', [aSkill({ repo: 'one', stars: 9 }), aSkill({ repo: 'forged' })])
}

describe('mirror --public-key', () => {
  const source = sharedTestApp({ skills, prompts }, forge)
  const repos = async (folder: string) => (await skillsIn(folder)).map(({ repo, stars }) => [repo, stars])
  const signed = [
    ['one', null],
    ['two', null],
  ]

  test('copies a snapshot that is signed with the key, given as itself or as its file, and requests no changes', async () => {
    const file = join(temporaryFolder(), 'catalog.pub')
    writeFileSync(file, publicKeyFile)
    const relay = await startHttpRelay(source().url)
    const folder = temporaryFolder()

    const first = await mirror(relay.url, folder, ...key, '--verify')
    expect(relay.requests.filter(({ path }) => /changes|skills\?/.test(path))).toEqual([])
    const second = await mirror(relay.url, folder, '--public-key', file)

    const verified = { compared: 2, missing: 0, extra: 0, different: 0 }
    expect(first).toMatchObject({ status: 0, json: { from: 'export', skills: 2, prompts: { count: 1 }, verified } })
    expect(second.status).toBe(0)
    expect(await repos(folder)).toEqual(signed)
  })

  test('copies nothing of a snapshot that is not signed, or signed with another key', async () => {
    const unsigned = await startSource(skills)
    await unsigned.publishExports()
    for (const [url, reason] of [
      [unsigned.url, 'it has no signature'],
      [source().url, 'it is signed with another key'],
    ] as const) {
      const folder = temporaryFolder()

      const { status, stderr, json } = await mirror(url, folder, '--public-key', newMinisignKey().publicKey)

      expect([status, json]).toMatchObject([2, { error: { code: 'snapshot_not_signed' } }])
      expect(stderr).toContain(reason)
      expect(await skillsIn(folder)).toEqual([])
    }
  })

  test.each([
    ['the list', '/api/v1/exports', (text: string) => text.replaceAll(/"rows":2,"total":2/g, '"rows":1,"total":1')],
    ['a digest', '/api/v1/exports', (text: string) => text.replaceAll(/"sha256":"../g, '"sha256":"00')],
    ['the position', '/api/v1/exports', (text: string) => text.replace(/"changesSince":\d+/, '"changesSince":1')],
    ['the manifest', 'manifest.json', (text: string) => text.replace('CC-BY-4.0', 'CC0-1.0')],
    [
      'the signature',
      'manifest.json.minisig',
      (text: string) => text.replace('trusted comment: snapshot', 'trusted comment: Snapshot'),
    ],
  ])('copies nothing when %s was changed on the way', async (_, path, changed) => {
    const relay = await changing(source().url, (asked, text) => (asked.endsWith(path) ? changed(text) : text))
    const folder = temporaryFolder()

    const { status, json } = await mirror(relay.url, folder, ...key)

    expect([status, json]).toMatchObject([2, { error: { code: 'snapshot_not_signed' } }])
    expect(await skillsIn(folder)).toEqual([])
  })

  const exchanged = (text: string, one: string, other: string) =>
    text.replaceAll(one, '\0').replaceAll(other, one).replaceAll('\0', other)
  test.each([
    ['types', '"type":"skills"', '"type":"prompts"'],
    ['formats', '"format":"ndjson"', '"format":"json"'],
    ['file names', '/skills.ndjson"', '/prompts.ndjson"'],
  ])('copies nothing when two %s were exchanged in the list', async (_, one, other) => {
    const relay = await changing(source().url, (asked, text) =>
      asked === '/api/v1/exports' ? exchanged(text, one, other) : text,
    )
    const folder = temporaryFolder()

    const { status, stderr } = await mirror(relay.url, folder, ...key)

    expect(status).toBe(2)
    expect(stderr).toContain('it is not what its signed manifest says')
    expect(await skillsIn(folder)).toEqual([])
  })

  test('copies the next snapshot with its removals', async () => {
    const changed = await startSource(skills)
    await forge(changed)
    const folder = temporaryFolder()
    expect((await mirror(changed.url, folder, ...key)).status).toBe(0)

    await changed.stores.catalog.remove('skills', ['acme/two'])
    await changed.publishExports(signer)
    const second = await mirror(changed.url, folder, ...key)

    expect(second).toMatchObject({ status: 0, json: { removed: 1, published: 2 } })
    expect((await repos(folder)).sort()).toEqual([
      ['forged', null],
      ['one', 9],
    ])
  })

  test('removes what an earlier copy had from the changes, which --unsigned-changes allows', async () => {
    const folder = temporaryFolder()

    for (let round = 0; round < 2; round += 1) {
      expect(await mirror(source().url, folder, ...key, '--unsigned-changes')).toMatchObject({ status: 0 })
      expect(await repos(folder)).toHaveLength(3)
      expect(await mirror(source().url, folder, ...key)).toMatchObject({ status: 0 })
      expect(await repos(folder)).toEqual(signed)
    }
  })

  test('an interrupted copy of a snapshot is made good by the changes', async () => {
    const renewed = await startSource(skills)
    await forge(renewed)
    await renewed.stores.catalog.remove('skills', ['acme/two'])
    const copy = await openMirror(renewed.url)
    await catchUp(copy)
    const expected = await skillsOf(renewed.stores)
    expect(await skillsOf(copy)).toEqual(expected)
    // Ends between the writing of the skills and the removal of others.
    const catalog = Object.assign(Object.create(copy.catalog) as Catalog, {
      put: copy.catalog.put.bind(copy.catalog),
      writeState: copy.catalog.writeState.bind(copy.catalog),
      listIds: () => Promise.reject(new Error('interrupted')),
    })

    const ofSnapshots = { ...copy, catalog, publicKey: readPublicKey(publicKey), followsChanges: false }
    await expect(copySnapshot(ofSnapshots)).rejects.toThrow('interrupted')
    expect((await skillsOf(copy)).map(({ repo, stars }) => [repo, stars])).toEqual([['forged', null], ...signed])
    await catchUp({ ...copy, state: await readMirrorState(copy.catalog, renewed.url, copy.folder) })

    expect(await skillsOf(copy)).toEqual(expected)
  })

  test.each<[what: string, answer: (path: string, text: string) => [status: number, text: string]]>([
    ['offers no snapshot', (path, text) => [200, path === '/api/v1/exports' ? '{"data":[]}' : text]],
    ['has the list no longer', (path, text) => (path === '/api/v1/exports' ? [404, '{}'] : [200, text])],
    ['has the files no longer', (path, text) => (path.endsWith('.ndjson') ? [410, '{}'] : [200, text])],
    [
      'has no longer the file of the skills',
      (path, text) => (path.endsWith('/skills.ndjson') ? [404, '{}'] : [200, text]),
    ],
    ['has the manifest no longer', (path, text) => (path.endsWith('manifest.json') ? [410, '{}'] : [200, text])],
  ])('copies no skill when the source %s', async (_, answer) => {
    const relay = await changing(source().url, answer)
    const folder = temporaryFolder()

    expect((await mirror(relay.url, folder, ...key)).status).toBe(2)
    expect(await skillsIn(folder)).toEqual([])
  })

  test('does not go back to an older snapshot', async () => {
    const renewed = await startSource(skills, { prompts })
    await renewed.publishExports(signer)
    const old = (await renewed.get('/api/v1/exports')).text
    const folder = temporaryFolder()
    await renewed.stores.catalog.put('prompts', [aPrompt({ id: 'newer' })])
    await renewed.publishExports(signer)
    let replay = false
    const relay = await changing(renewed.url, (asked, text) => (replay && asked === '/api/v1/exports' ? old : text))
    expect(await mirror(relay.url, folder, ...key)).toMatchObject({ status: 0 })

    replay = true
    const { status, stderr } = await mirror(relay.url, folder, ...key)

    expect(status).toBe(2)
    expect(stderr).toContain('it is older than the last one that was copied')
  })

  test.each([
    [['--unsigned-changes'], 'requires --public-key'],
    ...['', 'no-key', '/no/such/file'].map((no): [string[], string] => [
      ['--public-key', no],
      'It must be a public key of minisign, or its file: there is no file of this name, and it is no key.',
    ]),
  ])('%j is refused', async (options, said) => {
    const { status, stderr } = await mirror('http://127.0.0.1:1', temporaryFolder(), ...options)

    expect([status, stderr]).toEqual([2, expect.stringContaining(said)])
  })
})
