import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { readPublicKey, readSigner, verifySignature } from '../../services/indexer/signing/minisign.js'
import { newMinisignKey } from '../support/minisign-key.js'
import { runProgram, whenProgram } from '../support/programs.js'
import { temporaryFolder } from '../support/temporary-folder.js'

const text = '{ "snapshot": "20260101T000000000Z" }\n'

/** Made with minisign 0.11: `minisign -S -W -m f -t 'trusted é'`, where f is `hi` and a line feed. */
const made = {
  publicKey: 'RWTyvO2a/b/MBnbPTv+FwozcxKduS+uVhefsndV8RNVNgXXIBd6SywZo',
  signature: [
    'untrusted comment: signature from minisign secret key',
    'RUTyvO2a/b/MBtwv/BBgDZKnqi/2vETRxehlPvAKsx76lwsIA+45oHVqmnMib89ndysfkXXt27nW9TwffTf+psBzcWKGhZN/dwA=',
    'trusted comment: trusted é',
    '5bjIqJMq2m3dCT8YKNdCuuZVZ7DbJYvsRZcnvXIqFokyi1Q/bRcrKZld61PtzHalvafnvenQvUHNdkwGZ+q1CQ==',
    '',
  ].join('\n'),
}

describe('signatures of minisign', () => {
  test('a signature that minisign has made is accepted, with its trusted comment', () => {
    expect(verifySignature(readPublicKey(made.publicKey), 'hi\n', made.signature)).toBe('trusted é')
  })

  test('a signature of ours is accepted with the public key, as a line and as a file', () => {
    const { secretKeyFile, publicKeyFile, publicKey } = newMinisignKey()
    const signer = readSigner(secretKeyFile)
    const signature = signer.sign(text, 'snapshot 1')

    expect(signer.publicKey).toBe(publicKey)
    expect(verifySignature(readPublicKey(publicKey), text, signature)).toBe('snapshot 1')
    expect(verifySignature(readPublicKey(publicKeyFile), text, signature)).toBe('snapshot 1')
    expect(verifySignature(readPublicKey(publicKey), text, signature.replaceAll('\n', '\r\n'))).toBe('snapshot 1')
  })

  test.each([
    ['another text', 'Text', (signature: string) => signature, 'does not match'],
    ['another comment', text, (signature: string) => signature.replace('snapshot 1', 'snapshot 2'), 'does not match'],
    ['no signature', text, () => '', 'none of minisign'],
    ['half a signature', text, (signature: string) => signature.split('\n').slice(0, 3).join('\n'), 'does not match'],
  ])('%s is refused', (_, other, changed, reason) => {
    const { secretKeyFile, publicKey } = newMinisignKey()
    const signature = readSigner(secretKeyFile).sign(text, 'snapshot 1')

    expect(() => verifySignature(readPublicKey(publicKey), other, changed(signature))).toThrow(reason)
  })

  test('a signature by another key is refused', () => {
    const signature = readSigner(newMinisignKey().secretKeyFile).sign(text, '')

    expect(() => verifySignature(readPublicKey(newMinisignKey().publicKey), text, signature)).toThrow('another key')
  })

  test('a signature by another key with the same id is refused', () => {
    const { secretKeyFile, publicKey } = newMinisignKey()
    const signature = readSigner(secretKeyFile).sign(text, '')
    const bytes = Buffer.from(newMinisignKey().publicKey, 'base64')
    Buffer.from(publicKey, 'base64').copy(bytes, 2, 2, 10)

    expect(() => verifySignature(readPublicKey(bytes.toString('base64')), text, signature)).toThrow('does not match')
  })

  test.each([
    ['', 'no secret key of minisign'],
    [
      'untrusted comment: minisign public key\nRWTyvO2a/b/MBnbPTv+FwozcxKduS+uVhefsndV8RNVNgXXIBd6SywZo\n',
      'no secret key',
    ],
    [newMinisignKey().secretKeyFile.replace('\nRWQAA', '\nRWRTY'), 'password'],
    [damaged(newMinisignKey().secretKeyFile), 'damaged'],
  ])('a bad key file is refused with its reason: %#', (file, reason) => {
    expect(() => readSigner(file)).toThrow(reason)
  })

  test.each(['', 'RWT', 'https://catalog.example', newMinisignKey().secretKeyFile])('%j is no public key', (line) => {
    expect(() => readPublicKey(line)).toThrow('no public key')
  })
})

whenProgram('minisign', ['-v'], () => {
  test('signs nothing that we refuse, and accepts what we sign', async () => {
    const folder = temporaryFolder()
    const file = (name: string) => join(folder, name)
    writeFileSync(file('manifest.json'), text)
    const made = await runProgram('minisign', ['-G', '-W', '-p', file('key.pub'), '-s', file('key.sec')])
    expect(made).toMatchObject({ status: 0 })
    const signer = readSigner(readFileSync(file('key.sec'), 'utf8'))
    const key = readPublicKey(readFileSync(file('key.pub'), 'utf8'))
    const verify = () => runProgram('minisign', ['-V', '-H', '-P', signer.publicKey, '-m', file('manifest.json')])

    writeFileSync(file('manifest.json.minisig'), signer.sign(text, 'snapshot 1'))
    expect(await verify()).toMatchObject({ status: 0, stdout: expect.stringContaining('Trusted comment: snapshot 1') })
    writeFileSync(file('manifest.json'), `${text} `)
    expect(await verify()).toMatchObject({ status: 1 })

    writeFileSync(file('manifest.json'), text)
    await runProgram('minisign', ['-S', '-W', '-s', file('key.sec'), '-m', file('manifest.json'), '-t', 'by hand'])
    expect(verifySignature(key, text, readFileSync(file('manifest.json.minisig'), 'utf8'))).toBe('by hand')
  })
})

/** One letter of the secret key is another. */
function damaged(file: string): string {
  const place = file.indexOf('\n') + 100
  return `${file.slice(0, place)}${file[place] === 'A' ? 'B' : 'A'}${file.slice(place + 1)}`
}
