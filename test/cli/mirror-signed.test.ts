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
