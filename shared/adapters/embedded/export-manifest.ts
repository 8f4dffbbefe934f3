import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { systemErrorCode } from '../../system-error.js'
import { writeDurably } from '../durable-file.js'
import { StoredFile, StoredMoment } from '../stored-snapshot.js'

const manifestName = 'manifest.json'

/** `<type>-<snapshot>-<first of the hash>.<format>`, and behind it `.br` or `.gz` where it is packed. */
const fileName = /^[a-z]+-[A-Za-z0-9]+-[0-9a-f]{12}\.[a-z]+(\.br|\.gz)?$/

const ManifestFile = StoredFile.extend({
  /** The file's name in the folder. */
  name: z.string().regex(fileName),
})
export type ManifestFile = z.infer<typeof ManifestFile>

const ManifestSnapshot = StoredMoment.extend({ files: z.array(ManifestFile) })
export type ManifestSnapshot = z.infer<typeof ManifestSnapshot>

/** The only file of the folder that ever changes: which snapshots are published, the current one first. */
const Manifest = z.object({ version: z.literal(1), snapshots: z.array(ManifestSnapshot) })

/**
 * The published snapshots, the current one first; none when nothing has been published.
 *
 * @param warn hears of a manifest that cannot be read; it counts as none, and the next snapshot replaces it
 */
export async function readManifest(folder: string, warn: (problem: string) => void): Promise<ManifestSnapshot[]> {
  let text: string
  try {
    text = await readFile(join(folder, manifestName), 'utf8')
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') {
      return []
    }
    throw error
  }
  try {
    return Manifest.parse(JSON.parse(text)).snapshots
  } catch {
    warn('the manifest of the exports is damaged: nothing counts as published until the next snapshot')
    return []
  }
}

/** Makes these the published snapshots, in one step. */
export async function writeManifest(folder: string, snapshots: ManifestSnapshot[]): Promise<void> {
  const text = JSON.stringify({ version: 1, snapshots } satisfies z.infer<typeof Manifest>, null, 2)
  await writeDurably(folder, [Buffer.from(`${text}\n`)], () => manifestName)
}

/** Whether a file of the folder is named as export files are. */
export const isExportFileName = (name: string): boolean => fileName.test(name)
