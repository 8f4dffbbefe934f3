import { generateKeyPairSync, randomBytes } from 'node:crypto'

/** A new key pair in the files of minisign, as `minisign -G -W` writes them. */
export function newMinisignKey(): { secretKeyFile: string; publicKeyFile: string; publicKey: string } {
  const { d = '', x = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
  const [seed, key, keyId] = [Buffer.from(d, 'base64url'), Buffer.from(x, 'base64url'), randomBytes(8)]
  const unused = (length: number) => Buffer.alloc(length)
  const secret = Buffer.concat([Buffer.from('Ed\0\0B2'), unused(48), keyId, seed, key, unused(32)])
  const publicKey = Buffer.concat([Buffer.from('Ed'), keyId, key]).toString('base64')
  return {
    secretKeyFile: `untrusted comment: minisign encrypted secret key\n${secret.toString('base64')}\n`,
    publicKeyFile: `untrusted comment: minisign public key\n${publicKey}\n`,
    publicKey,
  }
}
