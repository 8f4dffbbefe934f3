import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { readSigner } from '../../services/indexer/signing/minisign.js'
import { aPrompt, aSkill } from '../support/factories.js'
import { startRelay } from '../support/http-relay.js'
import { newMinisignKey } from '../support/minisign-key.js'
import { mirror, skillsIn, startSource } from '../support/mirror.js'
import { temporaryFolder } from '../support/temporary-folder.js'

/** A relay that changes texts on the way. */
async function changing(target: string, change: (path: string, text: string) => string) {
  const relay = await startRelay(target)
  relay.script = async ({ path }, forward) => {
    const { status, headers, body } = await forward()
    const changed = Buffer.from(change(path, body.toString()))
    return { status, headers: { ...headers, 'content-length': String(changed.length) }, body: changed }
  }
  return relay
}

const aSource = () => startSource([aSkill({ repo: 'one' }), aSkill({ repo: 'two' })], { prompts: [aPrompt()] })

describe('mirror --public-key', () => {
  test('copies a snapshot that is signed with the key, given as itself or as its file', async () => {
    const source = await aSource()
    const { secretKeyFile, publicKeyFile, publicKey } = newMinisignKey()
    await source.publishExports(readSigner(secretKeyFile))
    const file = join(temporaryFolder(), 'catalog.pub')
    writeFileSync(file, publicKeyFile)
    const folder = temporaryFolder()

    const first = await mirror(source.url, folder, '--public-key', publicKey, '--verify')
    const second = await mirror(source.url, folder, '--public-key', file)

    expect(first).toMatchObject({ status: 0, json: { from: 'export', skills: 2, prompts: { count: 1 } } })
    expect(second.status).toBe(0)
    expect(await skillsIn(folder)).toHaveLength(2)
  })

  test.each([
    ['not signed', null, 'it has no signature'],
    ['signed with another key', newMinisignKey(), 'it is signed with another key'],
  ])('copies nothing of a snapshot that is %s', async (_, key, reason) => {
    const source = await aSource()
    await source.publishExports(key === null ? undefined : readSigner(key.secretKeyFile))
    const folder = temporaryFolder()

    const { status, stderr, json } = await mirror(source.url, folder, '--public-key', newMinisignKey().publicKey)

    expect([status, json]).toMatchObject([2, { error: { code: 'snapshot_not_signed' } }])
    expect(stderr).toContain(reason)
    expect(await skillsIn(folder)).toEqual([])
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
    const source = await aSource()
    const { secretKeyFile, publicKey } = newMinisignKey()
    await source.publishExports(readSigner(secretKeyFile))
    const relay = await changing(source.url, (asked, text) => (asked.endsWith(path) ? changed(text) : text))
    const folder = temporaryFolder()

    const { status, json } = await mirror(relay.url, folder, '--public-key', publicKey)

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
    const source = await aSource()
    const { secretKeyFile, publicKey } = newMinisignKey()
    await source.publishExports(readSigner(secretKeyFile))
    const relay = await changing(source.url, (asked, text) =>
      asked === '/api/v1/exports' ? exchanged(text, one, other) : text,
    )
    const folder = temporaryFolder()

    const { status, stderr } = await mirror(relay.url, folder, '--public-key', publicKey)

    expect(status).toBe(2)
    expect(stderr).toContain('it is not what its signed manifest says')
    expect(await skillsIn(folder)).toEqual([])
  })

  describe('against a source whose changes are not those of its snapshot', () => {
    const forged = [aSkill({ repo: 'one', stars: 9 }), aSkill({ repo: 'forged' })]
    const repos = async (folder: string) => (await skillsIn(folder)).map(({ repo, stars }) => [repo, stars])
    const signed = [
      ['one', null],
      ['two', null],
    ]

    async function aForgedSource() {
      const source = await aSource()
      const { secretKeyFile, publicKey } = newMinisignKey()
      await source.publishExports(readSigner(secretKeyFile))
      await source.stores.catalog.put('skills', forged)
      return { source, publicKey, signer: readSigner(secretKeyFile), relay: await startRelay(source.url) }
    }

    test('requests no changes, and copies the next snapshot with its removals', async () => {
      const { source, relay, publicKey, signer } = await aForgedSource()
      const folder = temporaryFolder()

      const first = await mirror(relay.url, folder, '--public-key', publicKey, '--verify')
      expect([first.status, await repos(folder)]).toEqual([0, signed])
      expect(first.json).toMatchObject({ verified: { compared: 2, missing: 0, extra: 0, different: 0 } })
      expect(relay.requests.filter(({ path }) => /changes|skills\?/.test(path))).toEqual([])

      await source.stores.catalog.remove('skills', ['acme/two'])
      await source.publishExports(signer)
      const second = await mirror(relay.url, folder, '--public-key', publicKey)
      expect(second).toMatchObject({ status: 0, json: { removed: 1, published: 2 } })
      expect((await repos(folder)).sort()).toEqual([
        ['forged', null],
        ['one', 9],
      ])
    })

    test('removes what an earlier copy had from the changes, which --unsigned-changes allows', async () => {
      const { relay, publicKey } = await aForgedSource()
      const folder = temporaryFolder()
      const key = ['--public-key', publicKey]

      for (let round = 0; round < 2; round += 1) {
        expect(await mirror(relay.url, folder, ...key, '--unsigned-changes')).toMatchObject({ status: 0 })
        expect(await repos(folder)).toHaveLength(3)
        expect(await mirror(relay.url, folder, ...key)).toMatchObject({ status: 0 })
        expect(await repos(folder)).toEqual(signed)
      }
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
    ])('copies no skill when it %s', async (_, answer) => {
      const { relay, publicKey } = await aForgedSource()
      relay.script = async ({ path }, forward) => {
        const { headers, body } = await forward()
        const [status, text] = answer(path, body.toString())
        return {
          status,
          headers: { ...headers, 'content-length': String(Buffer.byteLength(text)) },
          body: Buffer.from(text),
        }
      }
      const folder = temporaryFolder()

      expect((await mirror(relay.url, folder, '--public-key', publicKey)).status).toBe(2)
      expect(await skillsIn(folder)).toEqual([])
    })

    test('--unsigned-changes without a key is refused', async () => {
      const { status, stderr } = await mirror('http://127.0.0.1:1', temporaryFolder(), '--unsigned-changes')

      expect([status, stderr]).toEqual([2, expect.stringContaining('requires --public-key')])
    })
  })

  test('does not go back to an older snapshot', async () => {
    const source = await aSource()
    const { secretKeyFile, publicKey } = newMinisignKey()
    const signer = readSigner(secretKeyFile)
    await source.publishExports(signer)
    const old = (await source.get('/api/v1/exports')).text
    const folder = temporaryFolder()
    await source.stores.catalog.put('prompts', [aPrompt({ id: 'newer' })])
    await source.publishExports(signer)
    let replay = false
    const relay = await changing(source.url, (asked, text) => (replay && asked === '/api/v1/exports' ? old : text))
    expect(await mirror(relay.url, folder, '--public-key', publicKey)).toMatchObject({ status: 0 })

    replay = true
    const { status, stderr } = await mirror(relay.url, folder, '--public-key', publicKey)

    expect(status).toBe(2)
    expect(stderr).toContain('it is older than the last one that was copied')
  })

  test.each(['', 'no-key', '/no/such/file'])('%j is no public key', async (key) => {
    const { status, stderr } = await mirror('http://127.0.0.1:1', temporaryFolder(), '--public-key', key)

    expect(status).toBe(2)
    expect(stderr).toContain('It must be a public key of minisign, or its file')
  })
})
