import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { systemErrorCode } from '../../../runtime/system-error.js'
import { writeDurably } from '../../files/durable-file.js'
import { StoredFile, StoredMoment } from '../../files/stored-snapshot.js'

const manifestName = 'manifest.json'

/** `<type>-<snapshot>-<start of the hash>.<format>`, followed by `.br` or `.gz` if compressed. */
const fileName = /^[a-z]+-[A-Za-z0-9-]+-[0-9a-f]{12}\.[a-z]+(\.br|\.gz)?$/

const ManifestFile = StoredFile.extend({
  /** The file's name in the folder. */
  name: z.string().regex(fileName),
})
export type ManifestFile = z.infer<typeof ManifestFile>

const ManifestSnapshot = StoredMoment.extend({ files: z.array(ManifestFile) })
export type ManifestSnapshot = z.infer<typeof ManifestSnapshot>

/** The only file of the folder that changes: the list of published snapshots, the current one first. */
const Manifest = z.object({ version: z.literal(1), snapshots: z.array(ManifestSnapshot) })

/** Reads the manifest of a folder, and again only when its file has changed. */
export class ManifestReader {
  readonly #path: string
  readonly #warn: (problem: string) => void
  /** The file that was read last, by what `stat` says of it. */
  #version: string | null = null
  #snapshots: ManifestSnapshot[] = []

  /** @param warn called with the error of an unreadable manifest, which counts as empty; the next snapshot replaces it */
  constructor(folder: string, warn: (problem: string) => void) {
    this.#path = join(folder, manifestName)
    this.#warn = warn
  }

  /** The published snapshots, the current one first; none when nothing has been published. Equal until one is. */
  async read(): Promise<ManifestSnapshot[]> {
    let text: string
    let version: string
    try {
      const { ino, mtimeNs, size } = await stat(this.#path, { bigint: true })
      version = `${ino} ${mtimeNs} ${size}`
      if (version === this.#version) {
        return this.#snapshots
      }
      text = await readFile(this.#path, 'utf8')
    } catch (error) {
      if (systemErrorCode(error) === 'ENOENT') {
        return []
      }
      throw error
    }
    this.#snapshots = this.#parse(text)
    this.#version = version
    return this.#snapshots
  }

  #parse(text: string): ManifestSnapshot[] {
    try {
      return Manifest.parse(JSON.parse(text)).snapshots
    } catch {
      this.#warn('the export manifest is damaged: no exports until the next snapshot is written')
      return []
    }
  }
}

/** Makes these the published snapshots, atomically. */
export async function writeManifest(folder: string, snapshots: ManifestSnapshot[]): Promise<void> {
  const text = JSON.stringify({ version: 1, snapshots } satisfies z.infer<typeof Manifest>, null, 2)
  await writeDurably(folder, [Buffer.from(`${text}\n`)], () => manifestName)
}

/** Whether a file has the name of an export file. */
export const isExportFileName = (name: string): boolean => fileName.test(name)
