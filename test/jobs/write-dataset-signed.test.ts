import { expect, test } from '@jest/globals'
import { writeDataset } from '../../services/indexer/jobs/write-dataset.js'
import { readPublicKey, readSigner, verifySignature } from '../../services/indexer/signing/minisign.js'
import { openDatasetBench } from '../support/dataset-bench.js'
import { newMinisignKey } from '../support/minisign-key.js'

const clock = () => new Date('2026-03-01T12:00:00.000Z')
const snapshot = '20260301T120000000Z-dataset'

test('the manifest lists the files, and is signed where there is a key', async () => {
  const bench = await openDatasetBench()
  const { secretKeyFile, publicKey } = newMinisignKey()

  await bench.run(writeDataset, { clock })
  const unsigned = (await bench.datasets.snapshots())[0]?.manifest
  await bench.run(writeDataset, { clock, signer: readSigner(secretKeyFile) })
  const [newest] = await bench.datasets.snapshots()

  expect(unsigned).toMatchObject({ signature: null, publicKey: null })
  expect(newest?.manifest?.publicKey).toBe(publicKey)
  const { text = '', signature = '' } = newest?.manifest ?? {}
  expect(verifySignature(readPublicKey(publicKey), text, String(signature))).toBe(`snapshot ${snapshot}, CC-BY-4.0`)
  expect(JSON.parse(text)).toEqual({
    snapshot,
    generatedAt: '2026-03-01T12:00:00.000Z',
    license: 'CC-BY-4.0',
    licenseUrl: 'https://creativecommons.org/licenses/by/4.0/',
    changesSince: newest?.changesSince,
    files: newest?.files.map(({ type, format, count, sizeBytes, sha256 }) => ({
      name: `${type}.${format}`,
      encoding: 'identity',
      rows: count,
      total: count,
      truncated: false,
      bytes: sizeBytes,
      sha256,
    })),
  })
})
