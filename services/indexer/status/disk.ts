import { readdir, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { ignoreMissing } from '../../../shared/runtime/errors.js'

/** The space that a data folder takes, and what is free for this user, in bytes. */
export interface Disk {
  usedBytes: number
  freeBytes: number
}

/** With less than this, hardly anything can be written. */
const fullBytes = 1_000_000

export const isFull = ({ freeBytes }: Disk): boolean => freeBytes < fullBytes

/** The size of a folder's files, and the free space next to them. */
export async function readDisk(folder: string): Promise<Disk> {
  const { bavail, bsize } = await statfs(folder)
  return { usedBytes: await usedBytes(folder), freeBytes: bavail * bsize }
}

/** Files and folders that a running service deletes meanwhile count as nothing. */
async function usedBytes(folder: string): Promise<number> {
  const entries = (await readdir(folder, { withFileTypes: true }).catch(ignoreMissing)) ?? []
  const sizes = entries.map(async (entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) {
      return usedBytes(path)
    }
    return entry.isFile() ? ((await stat(path).catch(ignoreMissing))?.size ?? 0) : 0
  })
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}
