import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'

// The formats of minisign: https://jedisct1.github.io/minisign/. A file is a comment line and a line of base64; all
// numbers below are lengths in bytes.
const signatureAlgorithm = 'Ed'
/** The algorithm of a signature of the file's BLAKE2b-512 hash, instead of the file itself. */
const prehashedAlgorithm = 'ED'
const keyIdLength = 8
const publicKeyLength = 32
const signatureLength = 64
/** Algorithm, key derivation (none: two zeros), checksum algorithm; then its salt, limits and the key itself. */
const secretKeyLength = 158
const secretKeyStart = 54
/** What stands before the 32 bytes of an Ed25519 key in PKCS #8 (RFC 8410, section 7). */
const pkcs8Start = Buffer.from('302e020100300506032b657004220420', 'hex')

/** A text file is signed with this. */
export interface ManifestSigner {
  /** The public key as the line of base64 that minisign takes after `-P`. */
  publicKey: string
  /**
   * The `.minisig` file of a text.
   *
   * @param trustedComment one line; it is signed too
   */
  sign(text: string, trustedComment: string): string
}

/** A public key of minisign. */
export interface VerifyingKey {
  keyId: Buffer
  key: KeyObject
}

/**
 * The key in a secret key file of minisign without a password, as `minisign -G -W` writes it.
 *
 * @throws Error with the reason when it is none
 */
export function readSigner(file: string): ManifestSigner {
  const bytes = base64Line(file.split('\n')[1])
  if (bytes.length !== secretKeyLength || bytes.toString('latin1', 0, 2) !== signatureAlgorithm) {
    throw new Error('it is no secret key of minisign')
  }
  if (bytes.readUInt16BE(2) !== 0) {
    throw new Error(
      'its key is protected by a password: remove it with minisign -C -W, or make a key with minisign -G -W',
    )
  }
  const keyId = bytes.subarray(secretKeyStart, secretKeyStart + keyIdLength)
  const key = bytes.subarray(secretKeyStart + keyIdLength)
  const [seed, publicKey] = [key.subarray(0, publicKeyLength), key.subarray(publicKeyLength, 2 * publicKeyLength)]
  const x = publicKey.toString('base64url')
  // Not as a JWK: newer releases of Node refuse one of two keys that do not belong together, with an error of their own.
  const secret = createPrivateKey({ key: Buffer.concat([pkcs8Start, seed]), format: 'der', type: 'pkcs8' })
  if (createPublicKey(secret).export({ format: 'jwk' }).x !== x) {
    throw new Error('it is damaged: its secret key and its public key do not belong together')
  }
  return {
    publicKey: Buffer.concat([Buffer.from(signatureAlgorithm), keyId, publicKey]).toString('base64'),
    sign(text, trustedComment) {
      const signature = sign(null, hashOf(text), secret)
      const signed = Buffer.concat([Buffer.from(prehashedAlgorithm), keyId, signature])
      const global = sign(null, Buffer.concat([signature, Buffer.from(trustedComment)]), secret)
      return [
        'untrusted comment: signature of a Skill Catalog, for minisign',
        signed.toString('base64'),
        `trusted comment: ${trustedComment}`,
        global.toString('base64'),
        '',
      ].join('\n')
    },
  }
}

/**
 * A public key as a line of base64, or as the file that `minisign -G` writes.
 *
 * @throws Error with the reason when it is none
 */
export function readPublicKey(text: string): VerifyingKey {
  const lines = text.trim().split('\n')
  const bytes = base64Line(lines.at(-1))
  if (bytes.length !== 2 + keyIdLength + publicKeyLength || bytes.toString('latin1', 0, 2) !== signatureAlgorithm) {
    throw new Error('it is no public key of minisign')
  }
  const x = bytes.subarray(2 + keyIdLength).toString('base64url')
  return {
    keyId: bytes.subarray(2, 2 + keyIdLength),
    key: createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' }),
  }
}

/**
 * Checks the signature of a text and of its trusted comment.
 *
 * @param file the content of the `.minisig` file
 * @returns the trusted comment
 * @throws Error with the reason when it is not signed with this key
 */
export function verifySignature({ keyId, key }: VerifyingKey, text: string, file: string): string {
  const [, signedLine, commentLine = '', globalLine] = file.split('\n').map((line) => line.replace(/\r$/, ''))
  const signed = base64Line(signedLine)
  const prefix = 'trusted comment: '
  if (signed.length !== 2 + keyIdLength + signatureLength || !commentLine.startsWith(prefix)) {
    throw new Error('the signature is none of minisign')
  }
  if (signed.toString('latin1', 0, 2) !== prehashedAlgorithm) {
    throw new Error('the signature is not of a hash: it was made with an old format')
  }
  if (!signed.subarray(2, 2 + keyIdLength).equals(keyId)) {
    throw new Error('it is signed with another key')
  }
  const signature = signed.subarray(2 + keyIdLength)
  const comment = commentLine.slice(prefix.length)
  const global = base64Line(globalLine)
  const isGenuine =
    verify(null, hashOf(text), key, signature) &&
    verify(null, Buffer.concat([signature, Buffer.from(comment)]), key, global)
  if (!isGenuine) {
    throw new Error('the signature does not match')
  }
  return comment
}

const hashOf = (text: string): Buffer => createHash('blake2b512').update(text).digest()

/** Empty for a line that is missing or no base64. */
const base64Line = (line = ''): Buffer =>
  /^[A-Za-z0-9+/]+={0,2}\s*$/.test(line) ? Buffer.from(line.trim(), 'base64') : Buffer.alloc(0)
